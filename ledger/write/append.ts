import * as Effect from "effect/Effect"
import * as Schedule from "effect/Schedule"
import type { CommitFailed, LogRecord } from "../../schemas/ports/event-log.ts"
import * as metrics from "../metrics.ts"
import type { Group } from "./group.ts"
import type { Session } from "./session.ts"

/** How long a failed append is retried before its commands are refused, in milliseconds. */
const RETRY_MS_MAX = 2_000
const RETRY_EVERY_MS = 50

/** Appends, with retries while nothing could be written. A durable append also proves the claim. */
const append = Effect.fnUntraced(function* (
  session: Session,
  records: ReadonlyArray<LogRecord>,
): Effect.fn.Return<void, CommitFailed> {
  const begun = performance.now()
  const { offsets } = yield* session.writer.commit(records).pipe(
    Effect.retry({
      schedule: Schedule.spaced(RETRY_EVERY_MS),
      while: ({ _tag }) =>
        (_tag === "LogUnavailable" || _tag === "LogFull") && performance.now() - begun < RETRY_MS_MAX,
    }),
  )
  session.provenMs = begun
  const last = offsets.at(-1)
  if (last !== undefined) {
    session.next = last + 1
    session.ahead = false
  }
  metrics.appendSeconds.observe((performance.now() - begun) / 1000)
})

/** Makes a decided group durable, and proves the claim where a result rests on no entry. */
export const secure = Effect.fnUntraced(function* (
  session: Session,
  group: Group,
  proofMsMax: number,
): Effect.fn.Return<void, CommitFailed> {
  if (group.records.length > 0) yield* append(session, group.records)
  // A process that was suspended resumes here: another writer may have decided otherwise meanwhile.
  if (group.needsProof && performance.now() - session.provenMs > proofMsMax) yield* append(session, [])
  yield* session.keep
})
