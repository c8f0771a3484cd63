import * as Result from "effect/Result"
import { type Envelope, type EventReader, MalformedEvent, type NewerEvent } from "../../schemas/event.ts"
import type { StoredRecord } from "../../schemas/ports/event-log.ts"
import type { Topic } from "../../schemas/topics.ts"

/** The instants of event time between which a log is replayed, in milliseconds since the epoch; null: its begin, its end. */
export interface StretchBounds {
  readonly fromMs: number | null
  readonly toMs: number | null
}

/** An event up to the end of a stretch. */
interface StretchEvent {
  readonly event: Envelope<string, unknown>
  /** Whether it lies in the stretch; else it lies before it. */
  readonly isWithin: boolean
}

/** The event times of what was read of a topic, in milliseconds since the epoch. */
interface StretchTimes {
  readonly firstMs: number
  /** The maximum of the times up to the end of the stretch. */
  readonly lastMs: number
  /** Whether there is an event behind the end. */
  readonly isOver: boolean
}

/** Cuts topics at two instants, as they are read. */
export interface Stretch {
  /** Reads the next record of a topic; null from the first one on that lies behind the end. */
  readonly take: (topic: Topic, record: StoredRecord) => Result.Result<StretchEvent | null, NewerEvent | MalformedEvent>
  /** Null where nothing up to the end was read. */
  readonly times: (topic: Topic) => StretchTimes | null
  readonly isOver: (topic: Topic) => boolean
}

/**
 * Starts a stretch. Event time is that of folds, the maximum of the times seen, so both cuts are places in a topic: an event
 * behind the first one of later time is not known at the end, whatever its own time.
 */
export const makeStretch = (reader: EventReader, { fromMs, toMs }: StretchBounds): Stretch => {
  const times = new Map<Topic, { readonly firstMs: number; readonly lastMs: number }>()
  const over = new Set<Topic>()
  return {
    take: (topic, { offset, value }) => {
      if (over.has(topic)) return Result.succeed(null)
      if (value === null) return Result.fail(new MalformedEvent({ problem: `offset ${offset} of ${topic} is empty` }))
      const read = reader.readEvent(value)
      if (Result.isFailure(read)) return Result.fail(read.failure)
      const timeMs = Date.parse(read.success.time)
      if (!Number.isFinite(timeMs))
        return Result.fail(new MalformedEvent({ problem: `offset ${offset} of ${topic} has no time` }))
      if (toMs !== null && timeMs > toMs) {
        over.add(topic)
        return Result.succeed(null)
      }
      const before = times.get(topic)
      const lastMs = Math.max(before?.lastMs ?? timeMs, timeMs)
      times.set(topic, { firstMs: before?.firstMs ?? timeMs, lastMs })
      return Result.succeed({ event: read.success, isWithin: fromMs === null || lastMs >= fromMs })
    },
    times: (topic) => {
      const known = times.get(topic)
      return known === undefined ? null : { ...known, isOver: over.has(topic) }
    },
    isOver: (topic) => over.has(topic),
  }
}
