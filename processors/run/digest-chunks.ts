import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import * as Stream from "effect/Stream"
import type { EventLog, LogRecord, Offset, ReadFailed } from "../../schemas/ports/event-log.ts"
import { CheckpointUnreadable, stateKey } from "./checkpoint.ts"
import { readCompacted } from "./stored-values.ts"

// Digests of events are needed when two builds are compared, not when a process starts. They have a topic of their own, so
// that a start does not read a month of them.

/** The digests of a run of events. */
export interface DigestChunk {
  /** The index of the first event within its generation, from 0. */
  readonly ordinal: number
  /** The offset behind the last event. */
  readonly next: Offset
  /** Packed. */
  readonly digests: string
}

const Stored = Schema.fromJsonString(Schema.Struct({ next: Schema.Int, digests: Schema.String }))
const decodeStored = Schema.decodeUnknownOption(Stored)
const encoder = new TextEncoder()
const text = new TextDecoder()
const decode = (value: Uint8Array): typeof Stored.Type | null => Option.getOrNull(decodeStored(text.decode(value)))

const ORDINAL_DIGITS = 15
/** The common prefix of the keys of a generation's chunks. */
const prefixOf = (processor: string, generation: number): string => stateKey(processor, generation, "")

/** The record of a chunk. */
export const chunkRecord = (processor: string, generation: number, { ordinal, ...rest }: DigestChunk): LogRecord => ({
  topic: "digests",
  key: prefixOf(processor, generation) + String(ordinal).padStart(ORDINAL_DIGITS, "0"),
  value: encoder.encode(JSON.stringify(rest satisfies typeof Stored.Type)),
})

/** The chunks of a generation in order, up to the current end of the log. */
export const readChunks = (
  log: EventLog,
  processor: string,
  generation: number,
): Effect.Effect<ReadonlyArray<DigestChunk>, ReadFailed | CheckpointUnreadable> =>
  Effect.gen(function* () {
    const own = prefixOf(processor, generation)
    const chunks: Array<DigestChunk> = []
    for (const [key, value] of yield* readCompacted(log, "digests", (one) => one.startsWith(own))) {
      const stored = decode(value)
      if (stored === null) return yield* new CheckpointUnreadable({ processor, key })
      chunks.push({ ordinal: Number(key.slice(own.length)), ...stored })
    }
    return chunks.toSorted((a, b) => a.ordinal - b.ordinal)
  })

/** The keys of a processor's chunks that are not removed and that `wanted` accepts. Values are not kept in memory. */
const keysOf = (
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
  const own = prefixOf(processor, generation)
  return keysOf(log, processor, (key, value) => key.startsWith(own) && (decode(value)?.next ?? before + 1) <= before)
}

/** The keys of the chunks of all generations but one. */
export const chunksOfOthers = (log: EventLog, processor: string, generation: number) => {
  const own = prefixOf(processor, generation)
  return keysOf(log, processor, (key) => !key.startsWith(own))
}
