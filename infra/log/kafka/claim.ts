import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import {
  type ClaimFailed,
  type CommitFailed,
  type CommitResult,
  type FencedWriter,
  LogUnavailable,
  UnknownTopic,
} from "../../../schemas/ports/event-log.ts"
import { type Topic, topicNames } from "../../../schemas/topics.ts"
import { sentenceOf } from "./client.ts"
import { Writer, type WriterHost } from "./writer.ts"

/** Claims a writer's name for the scope; see `EventLog.claim`. */
export const claimWriter = (
  host: WriterHost,
  name: string,
  topics: ReadonlyArray<Topic>,
): Effect.Effect<FencedWriter, ClaimFailed, Scope.Scope> =>
  Effect.gen(function* () {
    const unknown = topics.find((topic) => !topicNames.includes(topic))
    if (unknown !== undefined) return yield* new UnknownTopic({ topic: unknown })
    const writer = yield* Effect.acquireRelease(
      Effect.sync(() => new Writer(host, name, topics)),
      (held) => Effect.promise(() => held.close()),
    )
    const fences = yield* Effect.tryPromise({
      try: () => writer.claim(),
      catch: (cause) => new LogUnavailable({ problem: `claiming "${name}": ${sentenceOf(cause)}`, cause }),
    })
    return {
      writer: name,
      ends: Object.fromEntries(topics.map((topic) => [topic, fences.get(topic) ?? 0])),
      commit: (records) =>
        Effect.callback<CommitResult, CommitFailed>((resume) => {
          const cancel = writer.enqueue({
            records,
            succeed: (committed) => resume(Effect.succeed(committed)),
            fail: (error) => resume(Effect.fail(error)),
          })
          return Effect.sync(cancel)
        }),
    }
  })
