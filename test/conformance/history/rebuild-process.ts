/** A process that rebuilds the tables, and waits to be killed before the second insert of the first one. */
import * as Effect from "effect/Effect"
import { openClickHouse } from "../../../infra/history/clickhouse.ts"
import { openLmdbLog } from "../../../infra/log/lmdb/event-log.ts"
import { rebuildTables } from "../../../processors/history/rebuild.ts"
import type { History } from "../../../schemas/ports/history.ts"
import { tables } from "./workload.ts"

const [path = "", url = "", user = "", password = "", migrations = ""] = process.argv.slice(2)

await Effect.runPromise(
  Effect.scoped(
    Effect.gen(function* () {
      const log = yield* openLmdbLog({ path })
      const history = yield* openClickHouse({ url, user, password, migrations: new URL(migrations) })
      let inserts = 0
      const slow: History = {
        ...history,
        insert: (insert) =>
          Effect.suspend(() => {
            inserts += 1
            if (inserts === 1) return history.insert(insert)
            process.stdout.write("half a table\n")
            return Effect.never
          }),
      }
      return yield* rebuildTables({ log, history: slow, tables })
    }),
  ),
)
