import { Session } from "node:inspector/promises"
import { fileURLToPath } from "node:url"

// Prints the product files whose functions run for one request over HTTP: `node test/bench/ways.ts free|premium`. The server of
// the benchmark runs in this process, with ledger and log, and V8 counts the calls of one request after two others.

const servers = {
  free: { file: "./api-free/serve.ts", argument: "tidewire", path: "/api/earthquake" },
  premium: { file: "./premium-http/serve.ts", argument: "premium", path: "/api/pro/briefing" },
} as const
/** Longer than what a request leaves to be done in the background. */
const QUIET_MS = 1_500

const root = new URL("../../", import.meta.url).href
const way = process.argv[2] === "premium" ? "premium" : "free"
const { file, argument, path } = servers[way]

/** What a server of a benchmark sends to its parent, which is this process itself. */
interface Started {
  readonly address: string
  readonly token?: string
}

const started = Promise.withResolvers<Started>()
process.argv[2] = argument
process.send = (message: Started) => {
  started.resolve(message)
  return true
}
await import(file)
const { address, token } = await started.promise

const call = async (): Promise<void> => {
  const reply = await fetch(`${address}${path}`, {
    headers: token === undefined ? {} : { authorization: `Bearer ${token}` },
  })
  if (!reply.ok) throw new Error(`${reply.status}: ${await reply.text()}`)
  await reply.arrayBuffer()
}

await call()
await call()
await new Promise((resolve) => setTimeout(resolve, QUIET_MS))

const session = new Session()
session.connect()
await session.post("Profiler.enable")
await session.post("Profiler.startPreciseCoverage", { callCount: true, detailed: false })
// The counts begin anew with each reading.
await session.post("Profiler.takePreciseCoverage")
await call()
const { result } = await session.post("Profiler.takePreciseCoverage")

const files = result
  .filter(({ url, functions }) => {
    const isProduct = url.startsWith(root) && !url.includes("/node_modules/") && !url.startsWith(`${root}test/`)
    // The first function of a script is its top level.
    return (
      isProduct &&
      functions.some(({ ranges: [range] }) => range !== undefined && range.startOffset > 0 && range.count > 0)
    )
  })
  .map(({ url }) => fileURLToPath(url).slice(fileURLToPath(root).length))
  .sort()
process.stdout.write(`${[...files, `${files.length} files`].join("\n")}\n`)
process.exit(0)
