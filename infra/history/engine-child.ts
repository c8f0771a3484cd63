/**
 * The process that is the embedded ClickHouse. Its parent writes the configuration, starts this file with a parameter
 * that holds `EngineChildOptions` as JSON, and keeps the write end of its standard input: when that closes, however the
 * parent ended, this process ends.
 */
import { Worker } from "node:worker_threads"
import { DataType, load, open } from "ffi-rs"
import { confine } from "./confinement.ts"

/** What the parent tells the child. */
export interface EngineChildOptions {
  readonly library: string
  readonly directory: string
  readonly configFile: string
  readonly usersFile: string
  readonly confined: boolean
  readonly ports: ReadonlyArray<number>
}

const LIBRARY = "chdb"

// Opens ClickHouse's own listeners, then keeps the session, and so the engine, alive for ever.
const QUERY = [
  "SYSTEM START LISTEN HTTP",
  "SYSTEM START LISTEN TCP",
  "SELECT sleepEachRow(1) FROM system.numbers SETTINGS max_block_size = 1 FORMAT Null",
].join("; ")

// The engine's call never returns to the event loop, so the parent is watched from another thread.
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

const options: EngineChildOptions = JSON.parse(process.argv[2] ?? "{}")
await watchParent()
open({ library: LIBRARY, path: options.library })
if (options.confined)
  await confine({
    directory: options.directory,
    readable: [
      options.configFile,
      options.usersFile,
      "/proc/self",
      "/proc/meminfo",
      "/proc/cpuinfo",
      "/proc/stat",
      "/sys/fs/cgroup",
      "/sys/devices/system/cpu",
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
// Only a failure lets the engine return: it has said why on standard error. An ordinary exit would wait for the thread that
// watches the parent, for ever.
process.kill(process.pid, "SIGKILL")
