import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import type { Envelope } from "../../schemas/event.ts"
import {
  type Batch,
  type CommitFailed,
  type EventLog,
  Fenced,
  type LogRecord,
  LogUnavailable,
  type Offset,
  type StoredRecord,
} from "../../schemas/ports/event-log.ts"
import { eventReader } from "../../schemas/registry.ts"
import { type Topic, topicNames } from "../../schemas/topics.ts"

/** An event log in memory, for tests of the code that uses a log. It outlives its writers, as a real log does. */
export interface MemoryLog {
  readonly log: EventLog
  readonly records: (topic: Topic) => ReadonlyArray<StoredRecord>
  /** The decoded events of a topic; throws if one does not decode. */
  readonly events: (topic: Topic) => ReadonlyArray<Envelope<string, unknown>>
  /** The records of every commit so far, one entry each. */
  readonly commits: ReadonlyArray<ReadonlyArray<LogRecord>>
  /** Makes every further commit fail with this error; null ends that. */
  readonly failWith: (failure: CommitFailed | null) => void
}

/** Makes an empty log in memory. */
export const makeMemoryLog = (): MemoryLog => {
  const byTopic = new Map<Topic, Array<StoredRecord>>(topicNames.map((topic) => [topic, []]))
  const epochs = new Map<string, number>()
  const commits: Array<ReadonlyArray<LogRecord>> = []
  const waiting = new Set<() => void>()
  let failure: CommitFailed | null = null

  const of = (topic: Topic): Array<StoredRecord> => byTopic.get(topic) ?? []
  const write = (records: ReadonlyArray<LogRecord>): ReadonlyArray<Offset> => {
    const offsets = records.map(({ topic, key, value }) => {
      const stored = of(topic)
      stored.push({ offset: stored.length, key, value })
      return stored.length - 1
    })
    const woken = [...waiting]
    // Cleared before the followers are woken: those without new records register again.
    waiting.clear()
    for (const wake of woken) wake()
    return offsets
  }
  const batch = (topic: Topic, from: Offset): Batch => ({
    topic,
    records: of(topic).slice(from),
    next: Math.max(from, of(topic).length),
  })
  const grown = (topic: Topic, from: Offset): Effect.Effect<Batch> =>
    Effect.callback((resume) => {
      const look = () => (of(topic).length > from ? resume(Effect.succeed(batch(topic, from))) : waiting.add(look))
      look()
      return Effect.sync(() => waiting.delete(look))
    })

  const log: EventLog = {
    claim: (writer, topics) =>
      Effect.sync(() => {
        const epoch = (epochs.get(writer) ?? 0) + 1
        epochs.set(writer, epoch)
        return {
          writer,
          ends: Object.fromEntries(topics.map((topic) => [topic, of(topic).length])),
          commit: (records) =>
            Effect.suspend(() => {
              if (epochs.get(writer) !== epoch) return Effect.fail(new Fenced({ writer }))
              if (failure !== null) return Effect.fail(failure)
              commits.push(records)
              return Effect.succeed({ offsets: write(records) })
            }),
        }
      }),
    awaitTurn: () => Effect.void,
    read: (topic, from) => Stream.suspend(() => Stream.make(batch(topic, from))),
    follow: (topic, from) =>
      Stream.unfold(from, (at) => Effect.map(grown(topic, at), (one) => [one, one.next] as const)),
    start: () => Effect.succeed(0),
    risks: Effect.succeed(new Map()),
    bytes: () => Effect.succeed(null),
    end: (topic) => Effect.sync(() => of(topic).length),
    append: (records) =>
      Effect.suspend(() => {
        if (failure !== null) return Effect.fail(new LogUnavailable({ problem: "made so by a test", cause: failure }))
        write(records)
        return Effect.void
      }),
    trim: () => Effect.void,
  }

  return {
    log,
    records: of,
    events: (topic) =>
      of(topic).map(({ value }) => {
        const event = eventReader.decodeEvent(value ?? new Uint8Array())
        if (event._tag === "Failure") throw event.failure
        return event.success
      }),
    commits,
    failWith: (wanted) => {
      failure = wanted
    },
  }
}
