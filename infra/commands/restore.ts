import * as Effect from "effect/Effect"
import { openClickHouse } from "../history/clickhouse.ts"
import { holdLog } from "../log/open.ts"
import { readLines } from "../log/transfer/export-file.ts"
import { importLog, openForImport, withdrawImport } from "../log/transfer/import.ts"
import { readMark } from "../log/transfer/import-mark.ts"
import { startHistory } from "../roles/start-history.ts"
import { openProgress } from "../telemetry/progress.ts"
import { SECRETS_APART } from "./backup.ts"
import { type Command, runWithSettings } from "./command.ts"
import { rebuildEverything, refuseFilledHistory } from "./rebuild.ts"

const print = (line: string) => process.stderr.write(`${line}\n`)

const restore =
  (file: string): Command =>
  (settings) =>
    Effect.gen(function* () {
      const progress = yield* openProgress()
      const lines = yield* readLines(file, progress, "restore the log")
      yield* holdLog(settings)
      const log = yield* openForImport(settings)
      const history = settings.history === "off" ? null : yield* openClickHouse(yield* startHistory(settings))
      const mark = yield* readMark(log)
      if (mark === null || mark.state === "importing") {
        if (history !== null) {
          yield* history.prepare
          yield* refuseFilledHistory(history).pipe(Effect.tapErrorTag("HistoryNotEmpty", () => withdrawImport(log)))
        }
        const { records, resumedFrom } = yield* importLog(log, lines, ({ trimmed }) =>
          trimmed.length === 0
            ? undefined
            : `this file is an export, not a backup: events of ${trimmed.join(", ")} were trimmed from its log; npm run log -- import accepts it`,
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
