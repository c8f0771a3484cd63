import { rm } from "node:fs/promises"
import { dirname } from "node:path"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import {
  type ClaimFailed,
  type CommitFailed,
  type EventLog,
  LogUnavailable,
  type ReadFailed,
} from "../../../schemas/ports/event-log.ts"
import type { Topic } from "../../../schemas/topics.ts"
import { existingTopics, type LogSettings, lmdbPath, openLog } from "../open.ts"
import { beginImport, type ImportRefused } from "./import.ts"

type BeginFailed = LogUnavailable | ImportRefused | ReadFailed | ClaimFailed | CommitFailed

/** The topics of the mark and of the fences of its claim: they hold nothing else before it. */
export const MARK_TOPICS: ReadonlyArray<Topic> = ["imports", "checkpoints"]

/** Makes the folder of an embedded log under another name, and names it once its mark is on disk. */
const makeMarkedFolder = (path: string): Effect.Effect<void, BeginFailed> =>
  Effect.gen(function* () {
    const { openLmdbLog } = yield* Effect.promise(() => import("../lmdb/event-log.ts"))
    const { renameDurably } = yield* Effect.promise(() => import("../lmdb/store.ts"))
    const unnamed = `${path}.new`
    const fail = (cause: unknown) => new LogUnavailable({ problem: `${dirname(path)} cannot be written`, cause })
    yield* Effect.tryPromise({ try: () => rm(unnamed, { recursive: true, force: true }), catch: fail })
    yield* Effect.scoped(Effect.flatMap(openLmdbLog({ path: unnamed }), (log) => beginImport(log)))
    yield* Effect.try({ try: () => renameDurably(unnamed, path), catch: fail })
  })

/**
 * Opens the log of the settings for an import, with the mark of an unfinished one. The mark is the first that is written: no
 * folder of a log and no topic but `MARK_TOPICS` is made before it, so that whatever ends the import, no service starts on what it leaves.
 */
export const openForImport = (settings: LogSettings): Effect.Effect<EventLog, BeginFailed, Scope.Scope> =>
  Effect.gen(function* () {
    const existing = yield* existingTopics(settings)
    if (settings.kafkaBrokers === null && existing.length === 0) yield* makeMarkedFolder(lmdbPath(settings))
    else {
      const topics = [...new Set([...existing, ...MARK_TOPICS])]
      const exported = existing.filter((topic) => topic !== "imports")
      yield* Effect.scoped(Effect.flatMap(openLog(settings, { topics }), (log) => beginImport(log, exported)))
    }
    return yield* openLog(settings)
  })
