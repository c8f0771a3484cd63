import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import { archivedRecords } from "../backup/archived-records.ts"
import { SECRETS_APART } from "../backup/secrets-apart.ts"
import { type Command, runWithSettings } from "../config/command.ts"
import { openProgress } from "../config/progress.ts"
import { openClickHouse } from "../history/clickhouse.ts"
import { holdLog, openWholeLog, refuseMissing } from "../log/open.ts"
import { exportLog, exportSize, trimmedTopics } from "../log/transfer/export.ts"
import { writeLines } from "../log/transfer/export-file.ts"
import { refuseImported } from "../log/transfer/import-mark.ts"
import { startHistory } from "../roles/start-history.ts"

const print = (text: string) =>
  Effect.sync(() => {
    process.stderr.write(`${text}\n`)
    return 0
  })

const backup =
  (file: string): Command =>
  (settings) =>
    Effect.gen(function* () {
      yield* refuseMissing(settings)
      yield* holdLog(settings)
      const log = yield* openWholeLog(settings)
      yield* refuseImported(log)
      const trimmed = yield* trimmedTopics(log)
      // A log that was never trimmed is complete: ClickHouse is not needed.
      const history = trimmed.length === 0 ? null : yield* openClickHouse(yield* startHistory(settings))
      const archived = history === null ? () => Stream.empty : yield* archivedRecords(log, history)
      const progress = yield* openProgress()
      const stage = progress.begin("backup", yield* exportSize(log, true), "offsets")
      let records = 0
      yield* writeLines(
        file,
        exportLog(log, {
          archived,
          advance: stage.advance,
          finished: (count) => {
            records = count
          },
        }),
      )
      yield* print(`${records} records saved${trimmed.length === 0 ? "" : `, the oldest ones from the archive`}`)
      return yield* print(
        `not included, save them separately: the secrets (the folder ${settings.dataDirectory}/secrets, or ${SECRETS_APART})`,
      )
    })

export const run = ({ positionals: [file = ""] }: { readonly positionals: ReadonlyArray<string> }): Promise<number> =>
  runWithSettings(backup(file), { interrupted: "no file was written" })
