import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { openClickHouse } from "../history/clickhouse.ts"
import { holdLog } from "../log/open.ts"
import { checkFile, type FileEnds } from "../log/transfer/export-file.ts"
import { importLog, openForImport, withdrawImport } from "../log/transfer/import.ts"
import { type ImportMark, readMark } from "../log/transfer/import-mark.ts"
import { startHistory } from "../roles/start-history.ts"
import { openProgress } from "../telemetry/progress.ts"
import { SECRETS_APART } from "./backup.ts"
import { type Command, runWithSettings } from "./command.ts"
import { rebuildEverything, refuseFilledHistory } from "./rebuild.ts"

const print = (line: string) => process.stderr.write(`${line}\n`)

/** The log was imported to its end, and not, or not provably, from the file to restore. */
class NotContinued extends Schema.TaggedError<NotContinued>()("NotContinued", { problem: Schema.String }) {
  override get message() {
    return this.problem
  }
}

/** How far a restore has come, and from what. */
interface Reached {
  /** Whether it reads standard input or another pipe, which ends with its reader. */
  isPiped: boolean
  /** Whether everything was imported, so that only views and history are missing. */
  isImported: boolean
}

/** What Ctrl-C leaves, and how to continue. */
const interruptedWords = ({ isPiped, isImported }: Reached): string => {
  if (isImported)
    return `the log is complete, views and history are not; ${isPiped ? "" : "the same command or "}npm run rebuild continues`
  const again = isPiped ? " with the same backup, piped in again from its beginning," : ""
  return `the restore is not finished; the same command${again} continues it, npm run log -- import --discard deletes it`
}

const notBackup = (trimmed: ReadonlyArray<string>) =>
  `this file is an export, not a backup: events of ${trimmed.join(", ")} were trimmed from its log`

/**
 * The reason why a restore of the file does not go on with a log that was imported to its end, if any. Nothing of the file is
 * imported any more, so what is rebuilt must be known to come from it.
 */
const problemOfContinuing = (
  file: string,
  ends: FileEnds | null,
  { sha256 }: Exclude<ImportMark, { state: "importing" }>,
): string | undefined => {
  const instead = "npm run rebuild continues with what is in the log"
  if (ends === null)
    return `the log was imported to its end already, and whether from what is piped in cannot be told before its last line; ${instead}`
  if (sha256 === undefined)
    return `the log was imported to its end already, and whether from ${file} cannot be told; ${instead}`
  if (ends.header === null || ends.trailer.sha256 !== sha256)
    return `${file} is not the file that was imported into this log; ${instead}, and a restore of ${file} wants an empty log and an empty ClickHouse`
  return ends.header.trimmed.length === 0 ? undefined : `${notBackup(ends.header.trimmed)}; ${instead}`
}

const restore =
  (file: string, reached: Reached): Command =>
  (settings) =>
    Effect.gen(function* () {
      const progress = yield* openProgress()
      const { lines, ends } = yield* checkFile(file, progress, "restore the log")
      reached.isPiped = ends === null
      yield* holdLog(settings)
      const log = yield* openForImport(settings)
      const mark = yield* readMark(log)
      reached.isImported = mark !== null && mark.state !== "importing"
      if (mark !== null && mark.state !== "importing") {
        const problem = problemOfContinuing(file, ends, mark)
        if (problem !== undefined) return yield* new NotContinued({ problem })
      }
      const history = settings.history === "off" ? null : yield* openClickHouse(yield* startHistory(settings))
      if (mark === null || mark.state === "importing") {
        if (history !== null) {
          yield* history.prepare
          yield* refuseFilledHistory(history).pipe(Effect.tapErrorTag("HistoryNotEmpty", () => withdrawImport(log)))
        }
        const { records, resumedFrom } = yield* importLog(log, lines, ({ trimmed }) =>
          trimmed.length === 0 ? undefined : `${notBackup(trimmed)}; npm run log -- import accepts it`,
        )
        if (resumedFrom > 0) print(`continued after ${resumedFrom} records of an earlier attempt`)
        print(`${records} records are in the log`)
      } else print("the log is complete already; views and history are rebuilt from it")
      reached.isImported = true
      const code = yield* rebuildEverything({ log, history, progress, print })
      print(`restored; before the service starts, restore the secrets (the folder secrets, or ${SECRETS_APART})`)
      return code
    })

export const run = ({ positionals: [file = ""] }: { readonly positionals: ReadonlyArray<string> }): Promise<number> => {
  const reached: Reached = { isPiped: false, isImported: false }
  return runWithSettings(restore(file, reached), { interrupted: () => interruptedWords(reached) })
}
