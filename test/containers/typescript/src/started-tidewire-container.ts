import { createWriteStream } from "node:fs"
import { rename, rm } from "node:fs/promises"
import { pipeline } from "node:stream/promises"
import { setTimeout as sleep } from "node:timers/promises"
import {
  AbstractStartedContainer,
  getContainerRuntimeClient,
  type RestartOptions,
  type StartedTestContainer,
} from "testcontainers"
import { type BuyingWallet, type ClientOptions, type Hex, Tidewire } from "tidewire-client"

/** The ports of the container. */
export const API_PORT = 8787
export const ADMIN_PORT = 9787
export const SQL_PORT = 8123
export const WORLD_PORT = 9090
export const CHAIN_PORT = 8545

/** Where the container keeps its data. */
const DATA_PATH = "/data"

/** The data is simulated, so that its password is no secret. */
export const ANALYST_PASSWORD = "tidewire"

const REQUEST_TIMEOUT_MS = 30_000
/** The clock answers when all that is due is served, a few seconds for each half hour where everything is offered. */
const CLOCK_TIMEOUT_MS = 600_000

/** On cgroup v1 an engine cannot always freeze a container in which a process is just beginning, as its health check does. */
const UNFROZEN = "unable to freeze"
const FREEZES_MAX = 10
const FREEZE_AGAIN_MS = 300

/** What can go wrong at an upstream. */
export type FaultKind =
  | "latency"
  | "server-error"
  | "unauthorized"
  | "rate-limited"
  | "cut-body"
  | "wrong-type"
  | "wrong-content-type"
  | "frozen"
  | "future"
  | "past"
  | "hostile-text"
  | "huge-body"
  | "bomb"
  | "many-objects"
  | "deep-json"
  | "redirect"
  | "not-json"
  | "no-body"
  | "echo"
  | "empty"
  | "reset"
  | "flapping"
  | "announces"
  | "hostile-headers"

/** A fault of one upstream host, or of every one (`*`), until it is healed. */
export interface Fault {
  readonly host: string
  readonly kind: FaultKind
  /** Milliseconds of `latency`; seconds of `Retry-After` for `rate-limited`; days of `future` and `past`. */
  readonly amount?: number
  /** Only for paths that begin so. */
  readonly path?: string
}

/** The clock of the container: its world, its chain and the service. */
export interface Clock {
  readonly now: string
  /** Whether it stands. */
  readonly frozen: boolean
}

/** A change of the clock: a way forward (`90s`, `15m`, `2h`, `3d`) or a later instant, and whether it stands from then on. */
export interface ClockChange {
  readonly frozen?: boolean
  readonly advance?: string
  readonly time?: string
}

/** What an upstream answers to requests of a path, in the wire format of its provider. */
export interface Answer {
  readonly host: string
  /** The whole path, without a query. */
  readonly path: string
  /** Sent as JSON, or as it is where it is text. */
  readonly body: unknown
  /** 200 by default. */
  readonly status?: number
  readonly contentType?: string
}

/** An item of a feed, in the form of the rows of its endpoint. */
export type FeedItem = Readonly<Record<string, unknown>>

/** A document of an upstream, and how often it was asked for. */
export interface RequestedDocument {
  readonly host: string
  readonly path: string
  readonly count: number
}

/** Runs a program of the image and gives the JSON that it printed. Rejects with what it said where it fails. */
export const runInside = async (
  container: StartedTestContainer,
  program: string,
  ...words: ReadonlyArray<string>
): Promise<unknown> => {
  const { exitCode, stdout, stderr } = await container.exec(["node", program, ...words])
  if (exitCode !== 0) throw new Error(`${program} ended with ${exitCode}: ${stderr}${stdout}`)
  return JSON.parse(stdout)
}

interface Facts {
  readonly wallet: string | null
  /** The names of endpoints, as metrics have them, by their paths. */
  readonly endpoints: Readonly<Record<string, string>>
}

const CALLS = /^tidewire_api_requests_total\{endpoint="([^"]*)"[^}]*\} (\d+)$/gm
/** A reply may be read shortly before it is counted. */
const COUNTED_WITHIN_MS = 2_000

/** A running Tidewire. */
export class StartedTidewireContainer extends AbstractStartedContainer {
  readonly #facts: Facts
  readonly #token: string | null
  #countsAtStart: ReadonlyMap<string, number> = new Map()

  private constructor(container: StartedTestContainer, facts: Facts, token: string | null) {
    super(container)
    this.#facts = facts
    this.#token = token
  }

  /** A ready container, once nothing of what it offers is still to come. */
  static async of(
    container: StartedTestContainer,
    offered: ReadonlyArray<string>,
    token: string | null,
  ): Promise<StartedTidewireContainer> {
    const facts = (await runInside(container, "test/world/wait-filled.ts", ...offered)) as Facts
    const started = new StartedTidewireContainer(container, facts, token)
    started.#countsAtStart = await started.#counts()
    return started
  }

  /** Address of the API. */
  get url(): string {
    return this.#address(API_PORT)
  }

  /** Address of the MCP server. */
  get mcpUrl(): string {
    return `${this.url}/api/mcp`
  }

  /** ClickHouse's HTTP interface as the user `analyst`, with the password: queries are posted to it. */
  get sqlUrl(): string {
    return `${this.#address(SQL_PORT)}/?user=analyst&password=${ANALYST_PASSWORD}&database=tidewire`
  }

  /** Address of the local chain (JSON-RPC, id 8453, a block a second). */
  get rpcUrl(): string {
    return this.#address(CHAIN_PORT)
  }

  /** The wallet that is paid to. */
  get wallet(): string {
    if (this.#facts.wallet === null) throw new Error("the image has no chain, so that nothing can be bought")
    return this.#facts.wallet
  }

  /** A wallet with dollars of no worth on the local chain: `buyCredits(tidewire.client(), { amountUsd: 1, wallet: tidewire.buyer })`. */
  get buyer(): BuyingWallet {
    return {
      getChainId: async () => Number(await this.#rpc("eth_chainId")),
      sendTransaction: async ({ to, data }) => {
        const [, from] = (await this.#rpc("eth_accounts")) as ReadonlyArray<Hex>
        return (await this.#rpc("eth_sendTransaction", { from, to, data })) as Hex
      },
    }
  }

  /** The bearer token of the credits. Throws without `withCredits`. */
  get token(): string {
    if (this.#token === null) throw new Error("there is no token: start the container withCredits")
    return this.#token
  }

  /** The typed client of this container, with its token if it has one. */
  client(options: Omit<ClientOptions, "baseUrl"> = {}): Tidewire {
    return new Tidewire({ ...(this.#token === null ? {} : { token: this.#token }), ...options, baseUrl: this.url })
  }

  /** Adds a fault, from the next request to that upstream on. */
  async fault(fault: Fault): Promise<void> {
    const faults = (await (await this.#world("faults")).json()) as ReadonlyArray<Fault>
    await this.#world("faults", { method: "PUT", body: JSON.stringify([...faults, fault]) })
  }

  /** Ends every fault. */
  async heal(): Promise<void> {
    await this.#world("faults", { method: "PUT", body: "[]" })
  }

  /**
   * An upstream answers this to requests of a path from now on, in place of what the world says: the decoder of its source reads
   * it as every other document of the provider.
   */
  async setAnswer(answer: Answer): Promise<void> {
    const answers = (await (await this.#world("answers")).json()) as ReadonlyArray<Answer>
    const others = answers.filter(({ host, path }) => host !== answer.host || path !== answer.path)
    await this.#world("answers", { method: "PUT", body: JSON.stringify([...others, answer]) })
  }

  /** Every upstream answers as the world does again. */
  async clearAnswers(): Promise<void> {
    await this.#world("answers", { method: "PUT", body: "[]" })
  }

  /**
   * The provider of a feed publishes these items from now on, and no others: in the form of the rows of an endpoint, and through
   * the decoder of its source. Rejects with the endpoints that can be given where this is none of them, and with the member that
   * is wrong.
   */
  async setFeed(path: string, items: ReadonlyArray<FeedItem>): Promise<void> {
    const feeds = (await (await this.#world("feeds")).json()) as Readonly<Record<string, ReadonlyArray<FeedItem>>>
    await this.#world("feeds", { method: "PUT", body: JSON.stringify({ ...feeds, [path]: items }) })
  }

  /** Every provider publishes what the world says again. */
  async clearFeeds(): Promise<void> {
    await this.#world("feeds", { method: "PUT", body: "{}" })
  }

  /** The documents of upstreams that were asked for since the start: what the offered endpoints read. */
  async requestedDocuments(): Promise<ReadonlyArray<RequestedDocument>> {
    return (await (await this.#world("requests")).json()) as ReadonlyArray<RequestedDocument>
  }

  /** The clock of the container. */
  async clock(): Promise<Clock> {
    return (await (await this.#world("clock")).json()) as Clock
  }

  /** Sets the clock. It resolves when all that is due by then was polled, and is served. */
  async setClock(change: ClockChange): Promise<Clock> {
    const signal = AbortSignal.timeout(CLOCK_TIMEOUT_MS)
    return (await (await this.#world("clock", { method: "PUT", body: JSON.stringify(change), signal })).json()) as Clock
  }

  /** Moves the clock on (`90s`, `15m`, `2h`, `3d`). It resolves when all that is due by then was polled, and is served. */
  async advance(duration: string): Promise<Clock> {
    return this.setClock({ advance: duration })
  }

  /** Takes back the last blocks of the local chain, with their payments. Others follow, a second apart. */
  async reorganise(blocks: number): Promise<void> {
    const last = (await this.#rpc("eth_getBlockByNumber", "latest", false)) as { readonly timestamp: Hex }
    await this.#rpc("anvil_rollback", blocks)
    // The clock of the chain went back with its blocks.
    await this.#rpc("evm_setTime", Number(last.timestamp) + 1)
  }

  /**
   * Writes the state of the container into a file: its log with the ledger, its history and its chain. Others begin with it by
   * `withSnapshot`. Meanwhile the container is paused: what is written is the state of one instant.
   */
  async snapshot(file: string): Promise<void> {
    const written = `${file}.part`
    const container = (await getContainerRuntimeClient()).container.getById(this.getId())
    for (let freezes = 1; ; freezes += 1) {
      try {
        await container.pause()
        break
      } catch (cause) {
        if (freezes === FREEZES_MAX || !String(cause).includes(UNFROZEN)) throw cause
        await sleep(FREEZE_AGAIN_MS)
      }
    }
    try {
      await pipeline(await this.copyArchiveFromContainer(DATA_PATH), createWriteStream(written))
      await rename(written, file)
    } finally {
      await container.unpause()
      await rm(written, { force: true })
    }
  }

  /** Stops and starts the container on its data; its ports are others afterwards. */
  override async restart(options?: Partial<RestartOptions>): Promise<void> {
    await super.restart(options)
    await runInside(this.startedTestContainer, "test/world/wait-filled.ts")
    this.#countsAtStart = await this.#counts()
  }

  /** How often the API was asked for a path since the start, refused requests included. */
  async callsOf(path: string): Promise<number> {
    const endpoint = this.#facts.endpoints[path]
    if (endpoint === undefined) throw new Error(`the API has no path ${path}`)
    return ((await this.#counts()).get(endpoint) ?? 0) - (this.#countsAtStart.get(endpoint) ?? 0)
  }

  /** Rejects unless the API was asked for a path exactly so often. */
  async verifyCalled(path: string, times: number): Promise<void> {
    const deadlineMs = Date.now() + COUNTED_WITHIN_MS
    let calls = await this.callsOf(path)
    while (calls < times && Date.now() < deadlineMs) {
      await sleep(50)
      calls = await this.callsOf(path)
    }
    if (calls !== times) throw new Error(`${path} was asked for ${calls} times, not ${times}`)
  }

  #address(port: number): string {
    return `http://${this.getHost()}:${this.getMappedPort(port)}`
  }

  async #rpc(method: string, ...params: ReadonlyArray<unknown>): Promise<unknown> {
    const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method, params })
    const response = await answered(this.rpcUrl, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body,
    })
    const { result, error } = (await response.json()) as { readonly result?: unknown; readonly error?: unknown }
    if (error !== undefined) throw new Error(`the chain refused ${method}: ${JSON.stringify(error)}`)
    return result
  }

  async #world(what: "answers" | "clock" | "faults" | "feeds" | "requests", init?: RequestInit): Promise<Response> {
    return answered(`${this.#address(WORLD_PORT)}/_world/${what}`, init)
  }

  async #counts(): Promise<ReadonlyMap<string, number>> {
    const metrics = await (await answered(`${this.#address(ADMIN_PORT)}/metrics`)).text()
    const counts = new Map<string, number>()
    for (const [, endpoint = "", count] of metrics.matchAll(CALLS))
      counts.set(endpoint, (counts.get(endpoint) ?? 0) + Number(count))
    return counts
  }
}

const answered = async (url: string, init: RequestInit = {}): Promise<Response> => {
  const response = await fetch(url, { signal: AbortSignal.timeout(REQUEST_TIMEOUT_MS), ...init })
  if (!response.ok) throw new Error(`${url} answered ${response.status}: ${await response.text()}`)
  return response
}
