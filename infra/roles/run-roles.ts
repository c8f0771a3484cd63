import type { Worker } from "node:worker_threads"
import type * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import type pino from "pino"
import type { LogUnavailable, ReadFailed } from "../../schemas/ports/event-log.ts"
import type { ChainMisconfigured } from "../chain/chain-options.ts"
import type { Role } from "../config/setting-table.ts"
import type { Settings } from "../config/settings.ts"
import type { EngineFailed } from "../history/engine.ts"
import type { ImportUnfinished } from "../log/transfer/import-mark.ts"
import type { SecretsUnusable } from "../secrets/secrets.ts"
import type { DirectoryHeld, DirectoryUnusable } from "../system/data-directory.ts"
import { collectNodeMetrics, exportProcess } from "../telemetry/metrics.ts"
import { allRoles } from "./all-roles.ts"
import { oneRole } from "./one-role.ts"
import type { PipelineEnded } from "./pipeline-worker.ts"
import type { ListenFailed } from "./ports.ts"
import type { UnknownProcessor } from "./process.ts"

/** The failures that end a process, at its start or later. */
export type RolesFailed =
  | ChainMisconfigured
  | DirectoryHeld
  | DirectoryUnusable
  | EngineFailed
  | ImportUnfinished
  | ListenFailed
  | LogUnavailable
  | PipelineEnded
  | ReadFailed
  | SecretsUnusable
  | UnknownProcessor

/** Runs every role until interrupted. Resources are closed in reverse order. */
export const runAllRoles = (
  settings: Settings,
  logger: pino.Logger,
  thread: Worker,
): Effect.Effect<never, RolesFailed, Scope.Scope> => {
  collectNodeMetrics({ thread: "main" })
  exportProcess(settings.dataDirectory)
  return allRoles(settings, logger, thread)
}

/** Runs one role until interrupted. */
export const runOneRole = (
  role: Exclude<Role, "all">,
  settings: Settings,
  logger: pino.Logger,
): Effect.Effect<never, RolesFailed, Scope.Scope> => {
  collectNodeMetrics({ role })
  // Only the ledger stores something on disk.
  exportProcess(role === "ledger" ? settings.dataDirectory : null)
  return oneRole(role, settings, logger)
}
