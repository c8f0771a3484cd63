import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import type { EventLog, ReadFailed, StoredRecord } from "../../schemas/ports/event-log.ts"
import type { Topic } from "../../schemas/topics.ts"

/** How many offsets are read from the end of the topic, until something is found among them. */
const TAIL_OFFSETS = [1_000, 50_000, Number.POSITIVE_INFINITY] as const

/** What `find` gives of the last record of a topic of which it gives something, up to its current end; null where there is none. */
export const lastInTopic = <A>(
  log: EventLog,
  topic: Topic,
  find: (record: StoredRecord) => A | null,
): Effect.Effect<A | null, ReadFailed> =>
  Effect.gen(function* () {
    const start = yield* log.start(topic)
    const end = yield* log.end(topic)
    for (const offsets of TAIL_OFFSETS) {
      const from = Math.max(start, end - offsets)
      const last = yield* log.read(topic, from).pipe(
        Stream.runFold(
          (): A | null => null,
          (before, { records }) => records.reduce((found, record) => find(record) ?? found, before),
        ),
      )
      if (last !== null || from === start) return last
    }
    return null
  })
