/** A process that runs the embedded ClickHouse and prints its process id. */
import * as Effect from "effect/Effect"
import { startEmbeddedClickHouse } from "../../../infra/history/engine.ts"

const [directory = ""] = process.argv.slice(2)
await Effect.runPromise(
  Effect.scoped(
    Effect.gen(function* () {
      const engine = yield* startEmbeddedClickHouse({ directory, httpPort: 0, tcpPort: 0 })
      process.stdout.write(`${engine.pid()}\n`)
      return yield* Effect.never
    }),
  ),
)
