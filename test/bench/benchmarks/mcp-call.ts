import { type ChildProcess, execFile, fork } from "node:child_process"
import { promisify } from "node:util"
import { benchmark, median } from "../benchmark.ts"

const ROUNDS = 5
const SECONDS = 2
const CONNECTIONS = 8
const PATH = "/api/earthquake"
const SERVER = "/api/mcp/all"

const PLAIN = "GET of the prepared feed"
const MODERN = "the same as a tool, 2026-07-28"
const LEGACY = "the same as a tool, 2025-11-25"

const run = promisify(execFile)
const autocannon = new URL("../../../node_modules/autocannon/autocannon.js", import.meta.url).pathname

const called = { name: "earthquake", arguments: {} }
const envelope = {
  "io.modelcontextprotocol/protocolVersion": "2026-07-28",
  "io.modelcontextprotocol/clientInfo": { name: "bench", version: "1" },
  "io.modelcontextprotocol/clientCapabilities": {},
}

/** Options of the load generator that make it call the tool. */
const calling = (params: object, headers: ReadonlyArray<string>): ReadonlyArray<string> => [
  ...["-m", "POST", "-b", JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/call", params })],
  ...["content-type=application/json", "accept=application/json, text/event-stream", ...headers].flatMap((header) => [
    "-H",
    header,
  ]),
]

const contenders: Readonly<Record<string, { readonly path: string; readonly options: ReadonlyArray<string> }>> = {
  [PLAIN]: { path: PATH, options: [] },
  [MODERN]: {
    path: SERVER,
    options: calling({ ...called, _meta: envelope }, [
      "mcp-protocol-version=2026-07-28",
      "mcp-method=tools/call",
      "mcp-name=earthquake",
    ]),
  },
  [LEGACY]: { path: SERVER, options: calling(called, ["mcp-protocol-version=2025-11-25"]) },
}

const start = (): Promise<{ readonly child: ChildProcess; readonly address: string }> =>
  new Promise((resolve, reject) => {
    const child = fork(new URL("../api-free/serve.ts", import.meta.url), ["tidewire"])
    child.once("message", ({ address }: { readonly address: string }) => resolve({ child, address }))
    child.once("exit", (code) => reject(new Error(`the server ended with ${code}`)))
  })

const cpuMicros = (child: ChildProcess): Promise<number> =>
  new Promise((resolve) => {
    child.once("message", (message: { readonly cpuMicros: number }) => resolve(message.cpuMicros))
    child.send("cpu")
  })

/** Requests that were answered with 200; another status fails the run. */
const load = async (url: string, options: ReadonlyArray<string>): Promise<number> => {
  const { stdout } = await run(process.execPath, [
    autocannon,
    ...["-j", "-n", "-c", String(CONNECTIONS), "-d", String(SECONDS)],
    ...options,
    url,
  ])
  const { requests, non2xx, errors } = JSON.parse(stdout)
  if (non2xx > 0 || errors > 0) throw new Error(`${non2xx} answers were not 200, ${errors} connections failed`)
  return requests.total
}

/** Fails unless the calls give the feed: an error of the protocol has status 200 too. */
const isServed = async (address: string): Promise<void> => {
  const reply = await fetch(`${address}${SERVER}`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/call", params: called }),
  })
  if (!(await reply.text()).includes('"structuredContent":{"source":"tidewire","endpoint":"earthquake"'))
    throw new Error("the tool does not give the feed")
}

export default benchmark({
  name: "mcp-call",
  title: "processor time of a prepared feed of 150 rows, over HTTP and as a tool, with a tool for each endpoint",
  budget: [
    { label: MODERN, of: "value", atMost: 2 },
    { label: LEGACY, of: "value", atMost: 2 },
  ],
  run: async () => {
    const { child, address } = await start()
    const figures = new Map<string, Array<number>>()
    try {
      await isServed(address)
      for (let round = 0; round <= ROUNDS; round++)
        for (const [label, { path, options }] of Object.entries(contenders)) {
          const before = await cpuMicros(child)
          const answered = await load(`${address}${path}`, options)
          // The first round warms up.
          if (round > 0)
            figures.set(label, [...(figures.get(label) ?? []), ((await cpuMicros(child)) - before) / answered / 1_000])
        }
    } finally {
      child.removeAllListeners("exit")
      child.disconnect()
    }
    return [...figures].map(([label, values]) => ({
      label,
      value: median(values),
      unit: "ms",
      ...(label === PLAIN ? {} : { ratioTo: PLAIN }),
    }))
  },
})
