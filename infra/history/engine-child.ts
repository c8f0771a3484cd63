/**
 * The process of the embedded ClickHouse. Its parent writes the configuration, starts this file with `EngineChildOptions` as
 * JSON in its argument, and holds the write end of its standard input: this process ends when the pipe closes, which the
 * kernel does however the parent ends.
 */
import { writeFileSync } from "node:fs"
import { setPriority } from "node:os"
import { Worker } from "node:worker_threads"
import { DataType, load, open } from "ffi-rs"
import { confine } from "./confinement.ts"

/** The parent's options for the child. */
export interface EngineChildOptions {
  readonly library: string
  readonly directory: string
  readonly configFile: string
  readonly usersFile: string
  readonly confined: boolean
  readonly ports: ReadonlyArray<number>
}

const LIBRARY = "chdb"

// Opens ClickHouse's own listeners, and keeps the session, and with it the engine, alive for ever.
const QUERY = [
  "SYSTEM START LISTEN HTTP",
  "SYSTEM START LISTEN TCP",
  "SELECT sleepEachRow(1) FROM system.numbers SETTINGS max_block_size = 1 FORMAT Null",
].join("; ")

// The call of the engine never returns to the event loop, so another thread watches the parent.
const WATCH_PARENT = `
  const { parentPort } = require("node:worker_threads")
  const { readSync } = require("node:fs")
  parentPort.postMessage("watching")
  const buffer = Buffer.alloc(64)
  const ended = () => {
    try {
      return readSync(0, buffer, 0, buffer.length, null) === 0
    } catch (cause) {
      return cause.code !== "EAGAIN" && cause.code !== "EINTR"
    }
  }
  while (!ended());
  process.kill(process.pid, "SIGKILL")
`

const watchParent = () =>
  new Promise<void>((resolve, reject) => {
    const worker = new Worker(WATCH_PARENT, { eval: true })
    worker.once("message", () => resolve())
    worker.once("error", reject)
  })

/** Lower than the service's: it answers its callers first, and an engine under load still gets a fourth of a core. */
const NICENESS = 5

/** The threads that this one starts afterwards inherit it. Linux groups processes by session, and the group has its own. */
const lowerPriority = () => {
  setPriority(NICENESS)
  try {
    writeFileSync("/proc/self/autogroup", String(NICENESS))
  } catch {
    // This kernel does not group processes.
  }
}

const options: EngineChildOptions = JSON.parse(process.argv[2] ?? "{}")
await watchParent()
lowerPriority()
open({ library: LIBRARY, path: options.library })
if (options.confined)
  confine({
    directory: options.directory,
    readable: [options.configFile, options.usersFile],
    kernelFiles: [
      // The C library finds the bounds of the main thread's stack in it.
      "/proc/self/maps",
      // The engine does not start without it: it counts its memory by it.
      "/proc/self/statm",
      "/proc/meminfo",
      "/sys/devices/system/cpu/online",
    ],
    writable: ["/dev/null", "/dev/urandom"],
    ports: options.ports,
  })
const parameters = ["clickhouse", "--config-file", options.configFile, "--query", QUERY]
load({
  library: LIBRARY,
  funcName: "chdb_query_cmdline",
  retType: DataType.External,
  paramsType: [DataType.I32, DataType.StringArray],
  paramsValue: [parameters.length, parameters],
})
// The engine returns only after a failure, which it has printed on standard error. An ordinary exit would wait for ever for
// the thread that watches the parent.
process.kill(process.pid, "SIGKILL")
