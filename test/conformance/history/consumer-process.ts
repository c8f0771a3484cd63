/** A process that fills a log and writes it to the history, until it is killed or everything is written. */
import * as Effect from "effect/Effect"
import { openClickHouse } from "../../../infra/history/clickhouse.ts"
import { openLmdbLog } from "../../../infra/log/lmdb/event-log.ts"
import { runHistory } from "../../../processors/history/consumer.ts"
import { events, tables } from "./workload.ts"

const [path = "", url = "", user = "", password = "", migrations = "", total = "0"] = process.argv.slice(2)
const COMMIT_EVENTS = 25

const produce = Effect.gen(function* () {
  const log = yield* openLmdbLog({ path })
  const history = yield* openClickHouse({ url, user, password, migrations: new URL(migrations) })
  yield* Effect.forkScoped(
    runHistory({ log, history, tables, flushEveryMs: 5 }).pipe(
      Effect.catchCause((cause) =>
        Effect.sync(() => {
          process.stderr.write(`${String(cause)}\n`)
          process.exit(1)
        }),
      ),
    ),
  )
  const writer = yield* log.claim("test", ["deltas", "observations"])
  for (let next = yield* log.end("deltas"); next < Number(total); next = yield* log.end("deltas")) {
    yield* writer.commit(events(next, Math.min(Number(total), next + COMMIT_EVENTS)))
    yield* Effect.sleep(3)
  }
  process.stdout.write("all events are in the log\n")
  return yield* Effect.never
})
await Effect.runPromise(Effect.scoped(produce))
