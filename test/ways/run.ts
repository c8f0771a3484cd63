/**
 * Prints the files that each way through the service passes: those of which some function runs at
 * least once for each poll, request or purchase, as V8 counts calls. What runs less often (timers, caches that were filled
 * before) is not on the way; what a library does is not counted.
 */
import { existsSync, readFileSync, rmSync } from "node:fs"
import { join, relative } from "node:path"
import { setTimeout as sleep } from "node:timers/promises"
import { fileURLToPath } from "node:url"
import { readArguments } from "../../infra/commands/arguments.ts"
import { eventually } from "../support/eventually.ts"
import { grantNew } from "../support/ledger-command.ts"
import { removeDirectory, type Service, startService, temporaryDirectory } from "../support/service.ts"
import { transfer } from "../world/chain/calls.ts"
import { type LocalChain, startChain } from "../world/chain/chain.ts"
import { startWorld } from "../world/server.ts"

const ROOT = fileURLToPath(new URL("../..", import.meta.url))
const PRELOAD = new URL("count-calls.mjs", import.meta.url).href
/** Where polls are counted: a minute of the world for each second, so that a poll of each second brings something new. */
const WORLD_SPEED = 60
const WORLD_AGE_MS = 2 * 3_600_000
const POLLS = 20
const CALLS = 50
const PURCHASES = 6
/** Makes the payments final. */
const BLOCKS = 20
/** After this time without a line every thread has reported. */
const QUIET_MS = 700

interface Scene {
  readonly service: Service
  readonly chain: LocalChain
  readonly directory: string
}
type Act = (scene: Scene) => Promise<void>

/** Distinct places, within what one client may ask for in a minute. */
const PLACES = 9

/** A way: what has to happen before, and what is counted. */
interface Way {
  readonly name: string
  readonly offered: ReadonlyArray<string>
  /** How often it is gone. */
  readonly times: number
  /** Rooms that are another way's, or processors that another view has. */
  readonly without: RegExp
  readonly prepare: (scene: Scene) => Promise<Act>
}

const answers = async (service: Service, path: string, init?: RequestInit): Promise<string> => {
  const response = await service.get(path, init)
  const text = await response.text()
  if (response.status !== 200) throw new Error(`${path} answered ${response.status}: ${text}`)
  if (response.headers.get("x-credits-charged") === "0") throw new Error(`${path} was free of charge: ${text}`)
  return text
}
const calls = async (service: Service, times: number, pathOf: (at: number) => string, init?: RequestInit) => {
  for (let at = 0; at < times; at += 1) await answers(service, pathOf(at), init)
}
const polled: Way["prepare"] = async () => async () => {
  await sleep((POLLS + 10) * 1000)
}

const otherFolds =
  /^processors\/(folds\/(?!latest)|world-deltas|reliability|correlations|history|table)|^infra\/history/u

const ways: ReadonlyArray<Way> = [
  {
    name: "poll to log",
    offered: ["/api/earthquake"],
    times: POLLS,
    without: /^(processors|api|ledger)\/|^infra\/history/u,
    prepare: polled,
  },
  {
    name: "log to view, its bytes ready",
    offered: ["/api/earthquake"],
    times: POLLS,
    without: new RegExp(`^(ingestors|ledger|infra/http)/|${otherFolds.source}`, "u"),
    prepare: polled,
  },
  {
    name: "free request",
    offered: ["/api/earthquake"],
    times: CALLS,
    without: /^(ingestors|processors)\//u,
    prepare: async ({ service }) => {
      await calls(service, CALLS, () => "/api/earthquake")
      return () => calls(service, CALLS, () => "/api/earthquake")
    },
  },
  {
    name: "premium call",
    offered: ["/api/pro/briefing"],
    times: CALLS,
    without: /^(ingestors|processors)\//u,
    prepare: async ({ service, directory }) => {
      const { token } = await grantNew({ DATA_DIR: directory, ADMIN_PORT: new URL(service.adminUrl).port }, 100_000)
      const init = { headers: { authorization: `Bearer ${token}` } }
      await eventually("a call is charged", () => answers(service, "/api/pro/briefing", init))
      await calls(service, CALLS, () => "/api/pro/briefing", init)
      return () => calls(service, CALLS, () => "/api/pro/briefing", init)
    },
  },
  {
    name: "confirm",
    offered: ["/api/earthquake"],
    times: PURCHASES,
    without: /^(ingestors|processors|api\/views|infra\/history)\//u,
    prepare: async ({ service, chain }) => {
      const post = (path: string, body: object) =>
        answers(service, `/api/payment/${path}`, {
          method: "POST",
          headers: { "content-type": "application/json" },
          body: JSON.stringify(body),
        })
      const paid: Array<object> = []
      for (let at = 0; at < PURCHASES; at += 1) {
        const { memo, quote } = JSON.parse(await post("buy-credits", { amount_usd: 1 }))
        const call = transfer(chain.wallet, Number(quote.amount_units), { memoHash: quote.memo_hash })
        const { transactionHash } = await chain.send(chain.accounts.buyer, call)
        paid.push({ tx_hash: transactionHash, nonce: memo })
      }
      await chain.mine(BLOCKS)
      return async () => {
        for (const body of paid) await post("confirm", body)
      }
    },
  },
  {
    name: "fetch on request",
    offered: ["/api/weather"],
    times: PLACES,
    without: /^ledger\//u,
    prepare: async ({ service }) => {
      const place = (first: number) => (at: number) => `/api/weather?lat=${first + at / 10}&lon=10.00`
      await calls(service, PLACES, place(40))
      return () => calls(service, PLACES, place(50))
    },
  },
]

/** The files of which some function was called at least so often since the last report, by the counts of all threads. */
const report = async (service: Service, file: string, times: number): Promise<ReadonlyArray<string>> => {
  rmSync(file, { force: true })
  service.child.kill("SIGUSR2")
  const lines = () => (existsSync(file) ? readFileSync(file, "utf8") : "")
  await eventually("all threads have reported", async () => {
    const before = lines()
    await sleep(QUIET_MS)
    return before !== "" && before === lines()
  })
  const files = new Set<string>()
  for (const line of lines().trim().split("\n"))
    for (const [path, count] of Object.entries<number>(JSON.parse(line)))
      if (count >= times) files.add(relative(ROOT, path))
  return [...files].filter((path) => !path.startsWith("test/")).sort()
}

const follow = async ({ name, offered, times, without, prepare }: Way): Promise<ReadonlyArray<string>> => {
  const directory = temporaryDirectory()
  const beganMs = Date.now()
  const fast = () => beganMs - WORLD_AGE_MS + (Date.now() - beganMs) * WORLD_SPEED
  const world = await startWorld({ seed: "ways", now: prepare === polled ? fast : Date.now })
  const chain = await startChain()
  const file = join(directory, "calls.jsonl")
  const service = await startService({
    dataDirectory: directory,
    offered,
    environment: {
      UPSTREAMS: world.url,
      ...(prepare === polled ? { POLL_SECONDS_MAX: "1" } : {}),
      WALLET_ADDRESS: chain.wallet,
      BASE_RPC_URLS: chain.rpcUrl,
      LOG_LEVEL: "error",
      NODE_OPTIONS: `--import=${PRELOAD}`,
      WAYS_FILE: file,
    },
  })
  try {
    await service.ready()
    const act = await prepare({ service, chain, directory })
    await report(service, file, times)
    await act({ service, chain, directory })
    return (await report(service, file, times)).filter((path) => !without.test(path))
  } catch (cause) {
    throw new Error(`the way "${name}" was not gone: ${service.output()}`, { cause })
  } finally {
    await service.end("SIGKILL")
    await Promise.all([world.close(), chain.stop()])
    removeDirectory(directory)
  }
}

const { values, positionals } = readArguments(
  `usage: npm run ways -- [--list] [${ways.map(({ name }) => JSON.stringify(name)).join(" | ")}]...\n`,
  { list: { type: "boolean" } },
  { min: 0, max: ways.length },
)
for (const way of ways.filter(({ name }) => positionals.length === 0 || positionals.includes(name))) {
  const files = await follow(way)
  const rooms = [...Map.groupBy(files, (file) => file.split("/")[0])].map(([room, { length }]) => `${room} ${length}`)
  process.stdout.write(`${String(files.length).padStart(4)}  ${way.name} (${rooms.join(", ")})\n`)
  if (values.list === true) for (const file of files) process.stdout.write(`        ${file}\n`)
}
