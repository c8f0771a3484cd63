import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import type { EventLog, Offset, ReadFailed, StoredRecord } from "../../schemas/ports/event-log.ts"
import type { Topic } from "../../schemas/topics.ts"
import type { States } from "./checkpoints.ts"
import { forgetPending, reportPending } from "./metrics.ts"
import type { Target } from "./targets.ts"

const EVERY_MS = 10_000
/** The time of an event is among its first members. */
const ENVELOPE_BYTES_MAX = 2_048

const timeOf = ({ value }: StoredRecord): number | null => {
  if (value === null) return null
  const time = /"time":"([^"]+)"/.exec(Buffer.from(value.subarray(0, ENVELOPE_BYTES_MAX)).toString("latin1"))?.[1]
  const epochMs = time === undefined ? Number.NaN : Date.parse(time)
  return Number.isNaN(epochMs) ? null : epochMs
}

/**
 * Reports periodically the time of each topic's oldest event that is missing in a table. It is read from the log, at the
 * lowest offset that the tables have reached, so that it is right before the first batch, between two batches, and while
 * ClickHouse is down. If the log starts after that offset, its first event is used.
 */
export const reportLag = (options: {
  readonly log: EventLog
  readonly targets: ReadonlyArray<Target>
  readonly states: States
  readonly everyMs?: number | undefined
}): Effect.Effect<never> => {
  const { log, targets, states } = options
  const topics = [...new Set(targets.map(({ topic }) => topic))]
  const known = new Map<Topic, { readonly offset: Offset; readonly timeMs: number | null }>()

  const oldestWaiting = (topic: Topic): Effect.Effect<number | null, ReadFailed> =>
    Effect.gen(function* () {
      const reached = targets.filter((target) => target.topic === topic).map(({ name }) => states.get(name).next)
      const offset = Math.max(Math.min(...reached), yield* log.start(topic))
      if (offset >= (yield* log.end(topic))) return null
      const before = known.get(topic)
      if (before?.offset === offset) return before.timeMs
      const times = yield* log.read(topic, offset).pipe(
        Stream.flatMap(({ records }) => Stream.fromIterable(records)),
        Stream.map(timeOf),
        Stream.filter((timeMs) => timeMs !== null),
        Stream.take(1),
        Stream.runCollect,
      )
      const timeMs = times[0] ?? null
      known.set(topic, { offset, timeMs })
      return timeMs
    })

  return Effect.forEach(
    topics,
    (topic) =>
      oldestWaiting(topic).pipe(
        Effect.map((timeMs) => reportPending(topic, timeMs)),
        // The last report stays, and its age grows.
        Effect.ignore,
      ),
    { discard: true },
  ).pipe(
    Effect.andThen(Effect.sleep(options.everyMs ?? EVERY_MS)),
    Effect.forever,
    Effect.ensuring(Effect.sync(forgetPending)),
  )
}
