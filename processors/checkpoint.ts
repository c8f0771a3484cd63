import { Effect, Option, Schema, Stream } from "effect"
import type { Json } from "../schemas/json.ts"
import type { EventLog, Offset, ReadFailed } from "../schemas/ports/event-log.ts"
import { type FoldableTopic, isFoldable, topicNames } from "../schemas/topics.ts"
import { FIRST_DIGEST } from "./digest.ts"
import type { Processor } from "./processor.ts"

/**
 * How far a build of a processor has come. A build is a generation: `rebuild` writes the state of the next one beside
 * that of the live one, and the change of this one record makes it the live one.
 */
const Position = Schema.Struct({
  v: Schema.Literal(4),
  /** The topic that it is a fold of. */
  topic: Schema.Literals(topicNames.filter(isFoldable)),
  generation: Schema.Int,
  /** Offset of the first event that this generation has folded; null before the first. */
  since: Schema.NullOr(Schema.Int),
  /** From this offset on, the derived events in the log are this generation's own. */
  toldFrom: Schema.Int,
  /** Where to go on in the topic. */
  next: Schema.Int,
  /** Event time: the maximum of the times seen, in milliseconds since the epoch. */
  nowMs: Schema.Int,
  /** Events folded. */
  count: Schema.Int,
  lastEventId: Schema.NullOr(Schema.String),
  /** The rolling digest after the last event. */
  digest: Schema.String,
  /** Packed digests of the events that no sealed chunk holds yet. */
  tail: Schema.String,
})
export type Position = typeof Position.Type

/** The position of a processor that has seen nothing. */
export const firstPosition = (topic: FoldableTopic, generation: number, toldFrom: Offset): Position => ({
  v: 4,
  topic,
  generation,
  since: null,
  toldFrom,
  next: 0,
  nowMs: 0,
  count: 0,
  lastEventId: null,
  digest: FIRST_DIGEST,
  tail: "",
})

/** What the log keeps of a processor. */
export interface Checkpoint {
  readonly position: Position
  readonly state: ReadonlyMap<string, Json>
  /** Keys of other generations: what an abandoned or a replaced build has left. */
  readonly leftovers: ReadonlyArray<string>
  /** The highest generation of which the log holds anything. */
  readonly generationMax: number
}

/** The checkpoints of a processor cannot be read: they were written by a newer Tidewire, or damaged. */
export class CheckpointUnreadable extends Schema.TaggedError<CheckpointUnreadable>()("CheckpointUnreadable", {
  processor: Schema.String,
  key: Schema.String,
}) {
  override get message() {
    return `the checkpoint "${this.key}" of ${this.processor} cannot be read; rebuild makes a new one`
  }
}

/** The log no longer holds events that the processor still has to fold: only the archive does. */
export class EventsTrimmed extends Schema.TaggedError<EventsTrimmed>()("EventsTrimmed", {
  processor: Schema.String,
  topic: Schema.String,
  needed: Schema.Int,
  start: Schema.Int,
}) {
  override get message() {
    return `${this.processor} needs ${this.topic} from ${this.needed}; the log begins at ${this.start}: rebuild from the archive`
  }
}

const SEALED = "#sealed"

/** The log key of a processor's position. */
export const positionKey = (processor: string): string => `${processor}/position`
/** The log key of a state key, within a generation. */
export const stateKey = (processor: string, generation: number, key: string): string =>
  `${processor}/${generation}/${key}`
/** The log key that stands as long as a generation may have sealed digests, so that none is left behind unknown. */
export const sealedKey = (processor: string, generation: number): string => stateKey(processor, generation, SEALED)

/** The generation that a log key of a processor belongs to; null for the position. */
export const generationOf = (processor: string, key: string): number | null => {
  const generation = Number.parseInt(key.slice(processor.length + 1), 10)
  return Number.isNaN(generation) ? null : generation
}

/** The position that a stored value holds, or null when it is none. */
export const parsePosition = (value: Uint8Array): Position | null =>
  Option.getOrNull(decodePosition(text.decode(value)))

const decodePosition = Schema.decodeUnknownOption(Schema.fromJsonString(Position))
const text = new TextDecoder()

const parseJson = (value: Uint8Array): Json | undefined => {
  try {
    return JSON.parse(text.decode(value))
  } catch {
    return undefined
  }
}

/** The latest value of every key of `topic` that `wanted` accepts, up to the end known now. */
export const readCompacted = (
  log: EventLog,
  topic: "checkpoints" | "digests" | "views",
  wanted: (key: string) => boolean,
): Effect.Effect<Map<string, Uint8Array>, ReadFailed> =>
  Effect.gen(function* () {
    const latest = new Map<string, Uint8Array>()
    const from = yield* log.start(topic)
    yield* Stream.runForEach(log.read(topic, from), ({ records }) =>
      Effect.sync(() => {
        for (const { key, value } of records)
          if (wanted(key)) {
            if (value === null) latest.delete(key)
            else latest.set(key, value)
          }
      }),
    )
    return latest
  })

/** Reads what the log keeps of a processor, up to the end known now. */
export const loadCheckpoint = (
  log: EventLog,
  { name: processor, topic }: Pick<Processor, "name" | "topic">,
): Effect.Effect<Checkpoint, ReadFailed | CheckpointUnreadable> =>
  Effect.gen(function* () {
    const latest = yield* readCompacted(log, "checkpoints", (key) => key.startsWith(`${processor}/`))
    const unreadable = (key: string) => new CheckpointUnreadable({ processor, key })

    const stored = latest.get(positionKey(processor))
    const position = stored === undefined ? firstPosition(topic, 1, 0) : parsePosition(stored)
    if (position === null || position.topic !== topic) return yield* unreadable(positionKey(processor))

    const state = new Map<string, Json>()
    const leftovers: Array<string> = []
    let generationMax = position.generation
    const own = stateKey(processor, position.generation, "")
    for (const [key, value] of latest) {
      if (key === positionKey(processor)) continue
      generationMax = Math.max(generationMax, generationOf(processor, key) ?? 0)
      // Without a position nothing was ever committed under it: such keys are of a build that was given up.
      if (stored === undefined || !key.startsWith(own)) {
        leftovers.push(key)
        continue
      }
      const name = key.slice(own.length)
      if (name === SEALED) continue
      const parsed = parseJson(value)
      if (parsed === undefined) return yield* unreadable(key)
      state.set(name, parsed)
    }
    return { position, state, leftovers, generationMax }
  })
