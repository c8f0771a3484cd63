import { Effect } from "effect"
import { SECRETS_APART } from "../backup/apart.ts"
import { EXIT_CODES, readArguments } from "../config/arguments.ts"
import { type Command, runCommand } from "../config/command.ts"
import { openProgress } from "../config/progress.ts"
import { openClickHouse } from "../history/clickhouse.ts"
import { holdLog, openLog } from "../log/open.ts"
import { readLines } from "../log/transfer/file.ts"
import { importLog } from "../log/transfer/import.ts"
import { readMark } from "../log/transfer/imported.ts"
import { startHistory } from "../roles/start-history.ts"
import { rebuildEverything, refuseFilledHistory } from "./rebuild-everything.ts"

const USAGE = `usage: npm run restore -- FILE

Brings back what npm run backup has written, into an empty log and an empty ClickHouse of either engine: the log first,
then views and history, which are made from it. Interrupted, the same command goes on where it stopped; until it is done
no service starts on that log. FILE may be - for standard input.

The whole history passes through the log, which needs the room for it until the service trims it again. The secrets are
not in the file: bring the folder secrets of DATA_DIR, or the variables
${SECRETS_APART}, before the start.

${EXIT_CODES}`

const print = (line: string) => process.stderr.write(`${line}\n`)

const restore =
  (file: string): Command =>
  (settings) =>
    Effect.gen(function* () {
      yield* holdLog(settings)
      const log = yield* openLog(settings)
      const progress = yield* openProgress()
      const history = yield* openClickHouse(yield* startHistory(settings))
      const mark = yield* readMark(log)
      if (mark === null || mark.state === "importing") {
        yield* history.prepare
        yield* refuseFilledHistory(history)
        const lines = yield* readLines(file, progress, "restore the log")
        const { records, resumedFrom } = yield* importLog(log, lines, ({ trimmed }) =>
          trimmed.length === 0
            ? undefined
            : `this is an export of a log without what was trimmed from it (${trimmed.join(", ")}), not a backup; npm run log -- import takes it as it is`,
        )
        if (resumedFrom > 0) print(`went on behind ${resumedFrom} records that an earlier attempt had brought back`)
        print(`${records} records are in the log`)
      } else print("the log is whole already; views and history are made from it")
      const code = yield* rebuildEverything({ log, history, progress, print })
      print("restored; the secrets are to be brought apart before the service starts")
      return code
    })

const { positionals } = readArguments(USAGE, {}, { min: 1, max: 1 })
runCommand(USAGE, () => restore(positionals[0] ?? ""), {
  interrupted: "it is not finished; the same command goes on with it, npm run log -- import --discard throws it away",
})
