import { createReadStream, createWriteStream } from "node:fs"
import { rename } from "node:fs/promises"
import type { Readable, Writable } from "node:stream"
import { pipeline } from "node:stream/promises"
import { Effect, Stream } from "effect"
import { runCommand } from "../config/command.ts"
import type { Settings } from "../config/settings.ts"
import { LogUnavailable } from "./event-log.port.ts"
import { openLog } from "./open.ts"
import { exportLog, importLog } from "./transfer.ts"

const USAGE = `usage: npm run log -- export FILE
       npm run log -- import FILE

Writes the whole log as NDJSON, or reads such a file into an empty log. FILE may be - for standard output or input.
KAFKA_BROKERS and DATA_DIR say which log. Stop the service first: an export then ends between two commits.
`
const READ_BYTES = 1024 * 1024
const LINES_IN_CHUNK = 500

const fileTrouble = (cause: unknown) =>
  cause instanceof LogUnavailable ? cause : new LogUnavailable({ problem: "the file cannot be used", cause })

const say = (text: string) =>
  Effect.sync(() => {
    process.stderr.write(`${text}\n`)
    return 0
  })

/** Writes an export to a file, whole or not at all, or to standard output. */
const exportTo = (file: string) => (settings: Settings) =>
  Effect.gen(function* () {
    const log = yield* openLog(settings)
    let lines = 0
    const chunks = exportLog(log).pipe(
      Stream.grouped(LINES_IN_CHUNK),
      Stream.map((group) => {
        lines += group.length
        return `${group.join("\n")}\n`
      }),
      Stream.toAsyncIterable,
    )
    yield* Effect.tryPromise({
      try: async () => {
        const part = `${file}.part`
        const target: Writable = file === "-" ? process.stdout : createWriteStream(part, { flush: true })
        await pipeline(chunks, target, { end: file !== "-" })
        if (file !== "-") await rename(part, file)
      },
      catch: fileTrouble,
    })
    return yield* say(`${lines - 2} records exported`)
  })

const importFrom = (file: string) => (settings: Settings) =>
  Effect.gen(function* () {
    const log = yield* openLog(settings)
    const source: Readable = file === "-" ? process.stdin : createReadStream(file, { highWaterMark: READ_BYTES })
    const lines = Stream.fromAsyncIterable<string, LogUnavailable>(source.setEncoding("utf8"), fileTrouble).pipe(
      Stream.splitLines,
    )
    return yield* say(`${yield* importLog(log, lines)} records imported`)
  })

runCommand(USAGE, () => {
  const [command, file, ...rest] = process.argv.slice(2)
  const jobs = { export: exportTo, import: importFrom }
  if (file === undefined || rest.length > 0 || (command !== "export" && command !== "import"))
    throw new Error("say what to do, and with which file")
  return jobs[command](file)
})
