// Preloaded into every thread of a service by `test/ways/run.ts`: counts the calls of each function. On SIGUSR2 each thread
// appends, as one line of JSON, the most called function of each file since the last time, and counts from zero again.
import { appendFileSync } from "node:fs"
import { Session } from "node:inspector"
import { fileURLToPath } from "node:url"
import { BroadcastChannel, isMainThread } from "node:worker_threads"

const { WAYS_FILE: file = "" } = process.env
const session = new Session()
session.connect()
session.post("Profiler.enable")
session.post("Profiler.startPreciseCoverage", { callCount: true, detailed: false })

const report = () =>
  session.post("Profiler.takePreciseCoverage", (_, { result }) => {
    const calls = result
      .filter(({ url }) => url.startsWith("file:") && !url.includes("/node_modules/"))
      .map(({ url, functions }) => [
        fileURLToPath(url),
        Math.max(0, ...functions.flatMap(({ ranges }) => ranges.map(({ count }) => count))),
      ])
    appendFileSync(file, `${JSON.stringify(Object.fromEntries(calls))}\n`)
  })

const channel = new BroadcastChannel("ways")
channel.onmessage = report
channel.unref()
if (isMainThread)
  process.on("SIGUSR2", () => {
    channel.postMessage(null)
    report()
  })
