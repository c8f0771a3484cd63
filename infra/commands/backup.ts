import { Effect, Stream } from "effect"
import { SECRETS_APART } from "../backup/apart.ts"
import { archivedRecords } from "../backup/archived-records.ts"
import { EXIT_CODES, readArguments } from "../config/arguments.ts"
import { type Command, runCommand } from "../config/command.ts"
import { openProgress } from "../config/progress.ts"
import { openClickHouse } from "../history/clickhouse.ts"
import { holdLog, openWholeLog, refuseMissing } from "../log/open.ts"
import { exportLog, exportSize, trimmedTopics } from "../log/transfer/export.ts"
import { writeLines } from "../log/transfer/file.ts"
import { refuseImported } from "../log/transfer/imported.ts"
import { startHistory } from "../roles/start-history.ts"

const USAGE = `usage: npm run backup -- FILE

Writes one stream that holds everything: what the log holds, and, below where it begins, what the archive (the table
events of ClickHouse) holds. npm run restore -- FILE brings it back, on either engine. FILE may be - for standard output.
Stop the service first; where it writes meanwhile, the backup is refused.

Not in it, and to be carried apart: the secrets, which are the folder secrets in DATA_DIR, or the variables
${SECRETS_APART}.
The file itself holds hashes of tokens and memos only, but every purchase and call: keep it as you keep the log.

${EXIT_CODES}`

const say = (text: string) =>
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
      // A log that was never trimmed holds everything: then ClickHouse need not run.
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
      yield* say(`${records} records saved${trimmed.length === 0 ? "" : `, the oldest ones from the archive`}`)
      return yield* say(
        `not among them, carry them apart: the secrets (the folder ${settings.dataDirectory}/secrets, or ${SECRETS_APART})`,
      )
    })

const { positionals } = readArguments(USAGE, {}, { min: 1, max: 1 })
runCommand(USAGE, () => backup(positionals[0] ?? ""), { interrupted: "no file was written" })
