import { join } from "node:path"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Scope from "effect/Scope"
import { startEmbeddedClickHouse } from "../../../infra/history/engine.ts"
import { eventually } from "../../support/eventually.ts"
import { temporaryDirectory } from "../../support/service.ts"
import type { Engine } from "./harness.ts"

/** Starts the embedded ClickHouse on an empty folder. */
export const startEmbedded = async (): Promise<Engine> => {
  const scope = Scope.makeUnsafe()
  const directory = join(temporaryDirectory(), "clickhouse")
  const engine = await Effect.runPromise(
    Scope.provide(startEmbeddedClickHouse({ directory, httpPort: 0, tcpPort: 0 }), scope),
  )
  return {
    options: { url: engine.url, ...engine.writer },
    analyst: engine.analyst,
    kill: async () => {
      const before = await eventually("the engine runs", () => engine.pid() ?? undefined)
      process.kill(before, "SIGKILL")
      await eventually("the engine is back", () => {
        const now = engine.pid()
        return now !== null && now !== before
      })
    },
    stop: () => Effect.runPromise(Scope.close(scope, Exit.void)),
  }
}
