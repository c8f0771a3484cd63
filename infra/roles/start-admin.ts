import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import type { FastifyInstance } from "fastify"
import { buildAdmin } from "../../api/admin.ts"
import type { Settings } from "../config/settings.ts"
import { listen } from "./listen.ts"
import { startLiveness } from "./liveness.ts"
import { adminPort, type ListenFailed, livePort } from "./ports.ts"
import { readinessOf, type Status } from "./status.ts"

/** Listens on the admin port, and at `LIVE_PORT` where it is set. `extend` registers routes of the role. */
export const startAdmin = (
  settings: Settings,
  { reports, warnings }: Pick<Status, "reports" | "warnings">,
  metrics: () => Promise<string>,
  extend: (app: FastifyInstance) => void = () => {},
): Effect.Effect<string, ListenFailed, Scope.Scope> => {
  const app = buildAdmin({ metrics, ready: () => readinessOf(reports(), warnings()) })
  extend(app)
  const live = livePort(settings)
  return Effect.andThen(live === null ? Effect.void : startLiveness(live), listen(app, adminPort(settings)))
}

/** Reports the addresses of the process: in the log, and to a parent process with an IPC channel. */
export const reportStarted = (where: Readonly<Record<string, string>>): Effect.Effect<void> =>
  Effect.logInfo("started").pipe(
    Effect.annotateLogs(where),
    // Errors are ignored: the parent may have ended.
    Effect.andThen(Effect.sync(() => void process.send?.({ type: "started", ...where }, undefined, {}, () => {}))),
  )
