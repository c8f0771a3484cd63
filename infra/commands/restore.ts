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
  if (ends === null || sha256 === undefined)
    return `the log was imported to its end already, and whether from ${file} cannot be told; ${instead}`
  if (ends.header === null || ends.trailer.sha256 !== sha256)
    return `${file} is not the file that was imported into this log; ${instead}, and a restore of ${file} wants an empty log and an empty ClickHouse`
  return ends.header.trimmed.length === 0 ? undefined : `${notBackup(ends.header.trimmed)}; ${instead}`
}

const restore =
  (file: string): Command =>
  (settings) =>
    Effect.gen(function* () {
      const progress = yield* openProgress()
      const { lines, ends } = yield* checkFile(file, progress, "restore the log")
      yield* holdLog(settings)
      const log = yield* openForImport(settings)
      const mark = yield* readMark(log)
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
      const code = yield* rebuildEverything({ log, history, progress, print })
      print(`restored; before the service starts, restore the secrets (the folder secrets, or ${SECRETS_APART})`)
      return code
    })

export const run = ({ positionals: [file = ""] }: { readonly positionals: ReadonlyArray<string> }): Promise<number> =>
  runWithSettings(restore(file), {
    interrupted:
      "the restore is not finished; the same command continues it, npm run log -- import --discard deletes it",
  })
