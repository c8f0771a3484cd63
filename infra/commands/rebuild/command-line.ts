import * as Effect from "effect/Effect"
import { verifyTables } from "../../../processors/history/verify.ts"
import { loadProcessors, tables } from "../../../processors/registry.ts"
import { rebuildMain } from "../../../processors/run/rebuild.ts"
import { type Command, runWithSettings } from "../../config/command.ts"
import { openProgress } from "../../config/progress.ts"
import { openClickHouse } from "../../history/clickhouse.ts"
import { holdLog, openWholeLog, refuseMissing } from "../../log/open.ts"
import { refuseImported } from "../../log/transfer/import-mark.ts"
import { startHistory } from "../../roles/start-history.ts"
import { archivedEvents, rebuildEverything } from "./rebuild-everything.ts"

const print = (line: string) => process.stdout.write(`${line}\n`)

/** Opens the log, held against a running service, and the history. */
const openAll = (settings: Parameters<Command>[0]) =>
  Effect.gen(function* () {
    yield* refuseMissing(settings)
    yield* holdLog(settings)
    const log = yield* openWholeLog(settings)
    const history = yield* openClickHouse(yield* startHistory(settings))
    return { log, history, progress: yield* openProgress() }
  })

const rebuild: Command = (settings) =>
  Effect.flatMap(openAll(settings), (given) => rebuildEverything({ ...given, print }))

const verify: Command = (settings) =>
  Effect.gen(function* () {
    const { log, history, progress } = yield* openAll(settings)
    yield* refuseImported(log)
    const processors = yield* Effect.promise(loadProcessors)
    yield* history.prepare
    const viewsCode = yield* rebuildMain({
      log,
      processors,
      prefix: archivedEvents(history),
      verify: true,
      print,
      progress,
    })
    const verified = yield* verifyTables({ log, history, tables, progress })
    for (const { table, rows, difference } of verified)
      print(
        difference === null
          ? `table ${table}: ${rows} rows, equal`
          : `table ${table}: DIFFERENT from event ${difference.eventId} (offset ${difference.offset}) on: ` +
              `${difference.liveRows} rows live, ${difference.freshRows} in a fresh fold`,
      )
    return verified.every(({ difference }) => difference === null) ? viewsCode : 1
  })

export const run = ({ values }: { readonly values: { readonly verify: boolean } }): Promise<number> =>
  values.verify
    ? runWithSettings(verify)
    : runWithSettings(rebuild, { interrupted: "the previous generation stays live; run the command again" })
