import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import * as Stream from "effect/Stream"
import type { Json } from "../../schemas/json.ts"
import type { EventLog, LogRecord, Offset, ReadFailed } from "../../schemas/ports/event-log.ts"
import { type FoldableTopic, isFoldable, topicNames } from "../../schemas/topics.ts"
import type { Processor } from "../processor.ts"
import { FIRST_DIGEST } from "./digest.ts"
import { readCompacted, readValues, type StoredValues } from "./stored-values.ts"

/** Raised when the form of the state changes, so that a checkpoint of another form is refused. */
export const POSITION_VERSION = 9

/**
 * The progress of a processor's live build. Every build is a generation: `rebuild` writes the state of the next generation
 * beside that of the live one; replacing this one record makes the new generation live.
 */
const Position = Schema.Struct({
  v: Schema.Literal(POSITION_VERSION),
  /** The topic that is folded. */
  topic: Schema.Literals(topicNames.filter(isFoldable)),
  generation: Schema.Int,
  /** Offset of the first event that this generation has folded; null before the first. */
  since: Schema.NullOr(Schema.Int),
  /** Derived events of source events from this offset on were logged by this generation. */
  derivedFrom: Schema.Int,
  /**
   * The last change that was numbered; null before the first start, and of processors that number none. It is a fact of the
   * log: a rebuild takes it over, as it appends no derived event, and changed code may derive fewer or more.
   */
  lastChange: Schema.NullOr(Schema.Struct({ log: Schema.String, ordinal: Schema.Int })),
  /** The offset of the next event to fold. */
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

/** The position before the first event. */
export const firstPosition = (topic: FoldableTopic, generation: number, derivedFrom: Offset): Position => ({
  v: POSITION_VERSION,
  topic,
  generation,
  since: null,
  derivedFrom,
  lastChange: null,
  next: 0,
  nowMs: 0,
  count: 0,
  lastEventId: null,
  digest: FIRST_DIGEST,
  tail: "",
})

/** The position and state of a processor, as the log holds them. */
export interface Checkpoint {
  readonly position: Position
  readonly state: ReadonlyMap<string, Json>
  /** The log keys of all its records. */
  readonly logKeys: StoredValues["logKeys"]
  /** Log keys of other generations: abandoned or replaced builds. */
  readonly leftovers: ReadonlyArray<string>
  /** The highest generation that has a record in the log. */
  readonly generationMax: number
}

/** The checkpoints of a processor cannot be read: they have another version's form, or are damaged. */
export class CheckpointUnreadable extends Schema.TaggedError<CheckpointUnreadable>()("CheckpointUnreadable", {
  processor: Schema.String,
  key: Schema.String,
}) {
  override get message() {
    return `the checkpoint "${this.key}" of ${this.processor} cannot be read; rebuild makes a new one`
  }
}

/** The log has dropped events that the processor has not folded: only the archive holds them. */
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

const encoder = new TextEncoder()
const text = new TextDecoder()

const SEALED = "#sealed"

/** The log key of a processor's position. */
export const positionKey = (processor: string): string => `${processor}/position`
/** The log key of a state key, within a generation. */
export const stateKey = (processor: string, generation: number, key: string): string =>
  `${processor}/${generation}/${key}`
/** The log key that marks a generation with sealed digests, so that a later start finds and removes them. */
export const sealedKey = (processor: string, generation: number): string => stateKey(processor, generation, SEALED)

/** The generation that a log key of a processor belongs to; null for the position. */
export const generationOf = (processor: string, key: string): number | null => {
  const generation = Number.parseInt(key.slice(processor.length + 1), 10)
  return Number.isNaN(generation) ? null : generation
}

/** Decodes a stored position; null if the value is not one of this version. */
export const parsePosition = (value: Uint8Array): Position | null =>
  Option.getOrNull(decodePosition(text.decode(value)))

const decodePosition = Schema.decodeUnknownOption(Schema.fromJsonString(Position))

const parseJson = (value: Uint8Array): Json | undefined => {
  try {
    return JSON.parse(text.decode(value))
  } catch {
    return undefined
  }
}

/** Reads the checkpoint of a processor, up to the current end of the log. */
export const loadCheckpoint = (
  log: EventLog,
  { name: processor, topic }: Pick<Processor, "name" | "topic">,
): Effect.Effect<Checkpoint, ReadFailed | CheckpointUnreadable> =>
  Effect.gen(function* () {
    const { values, damaged, logKeys } = yield* readValues(log, "checkpoints", `${processor}/`)
    const unreadable = (key: string) => new CheckpointUnreadable({ processor, key })

    const head = values.get(positionKey(processor))
    const position = head === undefined ? firstPosition(topic, 1, 0) : parsePosition(head)
    if (position === null || position.topic !== topic) return yield* unreadable(positionKey(processor))

    const state = new Map<string, Json>()
    const own = stateKey(processor, position.generation, "")
    // Keys without a position are of an abandoned build: a position is in the first commit of every live one.
    const isOwn = (key: string) => head !== undefined && key.startsWith(own)
    for (const key of [...values.keys(), ...damaged]) {
      const name = isOwn(key) ? key.slice(own.length) : SEALED
      if (name === SEALED) continue
      const value = values.get(key)
      const parsed = value === undefined ? undefined : parseJson(value)
      if (parsed === undefined) return yield* unreadable(key)
      state.set(name, parsed)
    }
    return {
      position,
      state,
      logKeys,
      leftovers: [...logKeys].filter((key) => key !== positionKey(processor) && !isOwn(key)),
      generationMax: Math.max(position.generation, ...[...logKeys].map((key) => generationOf(processor, key) ?? 0)),
    }
  })

/**
 * The digests of a run of events. They are needed when two builds are compared, not when a process starts, so they have a
 * topic of their own: a start does not read a month of them.
 */
export interface DigestChunk {
  /** The index of the first event within its generation, from 0. */
  readonly ordinal: number
  /** The offset behind the last event. */
  readonly next: Offset
  /** Packed. */
  readonly digests: string
}

const StoredChunk = Schema.fromJsonString(Schema.Struct({ next: Schema.Int, digests: Schema.String }))
const decodeStoredChunk = Schema.decodeUnknownOption(StoredChunk)
const parseChunk = (value: Uint8Array): typeof StoredChunk.Type | null =>
  Option.getOrNull(decodeStoredChunk(text.decode(value)))

const ORDINAL_DIGITS = 15

/** The record of a chunk. */
export const chunkRecord = (processor: string, generation: number, { ordinal, ...rest }: DigestChunk): LogRecord => ({
  topic: "digests",
  key: stateKey(processor, generation, "") + String(ordinal).padStart(ORDINAL_DIGITS, "0"),
  value: encoder.encode(JSON.stringify(rest satisfies typeof StoredChunk.Type)),
})

/** The chunks of a generation in order, up to the current end of the log. */
export const readChunks = (
  log: EventLog,
  processor: string,
  generation: number,
): Effect.Effect<ReadonlyArray<DigestChunk>, ReadFailed | CheckpointUnreadable> =>
  Effect.gen(function* () {
    const own = stateKey(processor, generation, "")
    const chunks: Array<DigestChunk> = []
    for (const [key, value] of yield* readCompacted(log, "digests", (one) => one.startsWith(own))) {
      const stored = parseChunk(value)
      if (stored === null) return yield* new CheckpointUnreadable({ processor, key })
      chunks.push({ ordinal: Number(key.slice(own.length)), ...stored })
    }
    return chunks.toSorted((a, b) => a.ordinal - b.ordinal)
  })

/** The keys of a processor's chunks that are not removed and that `wanted` accepts. Values are not kept in memory. */
const chunkKeysOf = (
  log: EventLog,
  processor: string,
  wanted: (key: string, value: Uint8Array) => boolean,
): Effect.Effect<ReadonlyArray<string>, ReadFailed> =>
  Effect.gen(function* () {
    const keys = new Set<string>()
    const from = yield* log.start("digests")
    yield* Stream.runForEach(log.read("digests", from), ({ records }) =>
      Effect.sync(() => {
        for (const { key, value } of records)
          if (key.startsWith(`${processor}/`)) {
            if (value !== null && wanted(key, value)) keys.add(key)
            else keys.delete(key)
          }
      }),
    )
    return [...keys]
  })

/** The keys of the chunks of a generation whose events are all below an offset. */
export const chunksBelow = (log: EventLog, processor: string, generation: number, before: Offset) => {
  const own = stateKey(processor, generation, "")
  return chunkKeysOf(
    log,
    processor,
    (key, value) => key.startsWith(own) && (parseChunk(value)?.next ?? before + 1) <= before,
  )
}

/** The keys of the chunks of all generations but one. */
export const chunksOfOthers = (log: EventLog, processor: string, generation: number) => {
  const own = stateKey(processor, generation, "")
  return chunkKeysOf(log, processor, (key) => !key.startsWith(own))
}
