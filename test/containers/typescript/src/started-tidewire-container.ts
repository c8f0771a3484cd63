import { setTimeout as sleep } from "node:timers/promises"
import { AbstractStartedContainer, type StartedTestContainer } from "testcontainers"
import { type ClientOptions, Tidewire } from "tidewire-client"

/** The ports of the container. */
export const API_PORT = 8787
export const ADMIN_PORT = 9787
export const SQL_PORT = 8123
export const WORLD_PORT = 9090
export const CHAIN_PORT = 8545

/** The data is simulated, so that its password is no secret. */
export const ANALYST_PASSWORD = "tidewire"

const REQUEST_TIMEOUT_MS = 30_000

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
    const faults = (await (await this.#world()).json()) as ReadonlyArray<Fault>
    await this.#world({ method: "PUT", body: JSON.stringify([...faults, fault]) })
  }

  /** Ends every fault. */
  async heal(): Promise<void> {
    await this.#world({ method: "PUT", body: "[]" })
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

  async #world(init?: RequestInit): Promise<Response> {
    return answered(`${this.#address(WORLD_PORT)}/_world/faults`, init)
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
