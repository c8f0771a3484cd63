import { Effect, Schema, Stream } from "effect"
import type { MalformedEvent, NewerEvent } from "../schemas/event.ts"
import type { EventLog, Offset, ReadFailed, StoredRecord } from "../schemas/ports/event-log.ts"
import { noProgress } from "../schemas/ports/progress.ts"
import { eventReader } from "../schemas/registry.ts"
import {
  type Checkpoint,
  type CheckpointUnreadable,
  type EventsTrimmed,
  loadCheckpoint,
  type Position,
  readCompacted,
} from "./checkpoint.ts"
import { digestOf, unpackDigests } from "./digest.ts"
import { type DigestChunk, readChunks } from "./digest-chunks.ts"
import type { Folded } from "./folding.ts"
import { makePayloadProof } from "./payload-proof.ts"
import type { Processor } from "./processor.ts"
import { foldPrefix, type RebuildOptions } from "./rebuild.ts"
import { makeRefold } from "./refold.ts"

/** The first event after which two builds differ. */
export interface Parting {
  readonly id: string
  readonly offset: Offset
  readonly type: string
  /** What differs first: all that the step said, or only what the log holds of its derived events. */
  readonly what: "step" | "derived"
}

/** How the live build of one processor compares with a refold up to its position. */
export interface Comparison {
  readonly processor: string
  readonly events: number
  readonly parting: Parting | null
  /** What differs, in words, at most `DIFFERENCES_MAX` of them. */
  readonly differences: ReadonlyArray<string>
}

/** The outcome of a verification. */
export interface Verification {
  readonly equal: boolean
  readonly comparisons: ReadonlyArray<Comparison>
  /** Keys of `views` that no processor makes. */
  readonly foreignViews: ReadonlyArray<string>
}

/** The live build moves on faster than its records can be read: verify when it rests. */
export class StillMoving extends Schema.TaggedError<StillMoving>()("StillMoving", {}) {
  override get message() {
    return "a running service moves on faster than what it has made can be read: stop it, then verify"
  }
}

export type VerifyFailed = ReadFailed | NewerEvent | MalformedEvent | EventsTrimmed | CheckpointUnreadable | StillMoving

export const DIFFERENCES_MAX = 20
const ATTEMPTS_MAX = 5
const text = new TextDecoder()

interface Told {
  readonly digest: string
  readonly times: number
}

interface Live {
  readonly checkpoints: ReadonlyArray<Checkpoint>
  /** The sealed digests of each processor. */
  readonly chunks: ReadonlyArray<ReadonlyArray<DigestChunk>>
  readonly views: ReadonlyMap<string, Uint8Array>
  /** The derived events of each processor, by id. */
  readonly told: ReadonlyArray<ReadonlyMap<string, Told>>
  readonly toldIsWhole: boolean
}

/**
 * Everything live at one moment. Derived events are many, so they are read once, and then only what has been added; the
 * rest is read until nothing has moved meanwhile.
 */
const readLive = (
  log: EventLog,
  processors: ReadonlyArray<Processor>,
): Effect.Effect<Live, ReadFailed | CheckpointUnreadable | StillMoving> =>
  Effect.gen(function* () {
    const load = Effect.forEach(processors, (one) => loadCheckpoint(log, one))
    const told = processors.map(() => new Map<string, Told>())
    const start = yield* log.start("deltas")
    let next = start
    const readTold = Effect.suspend(() =>
      Stream.runForEach(log.read("deltas", next), (batch) =>
        Effect.sync(() => {
          for (const { value } of batch.records) if (value !== null) noteTold(told, processors, text.decode(value))
          next = batch.next
        }),
      ),
    )
    yield* readTold
    for (let attempt = 0; attempt < ATTEMPTS_MAX; attempt += 1) {
      const checkpoints = yield* load
      const views = yield* readCompacted(log, "views", () => true)
      const chunks = yield* Effect.forEach(processors, ({ name }, index) =>
        readChunks(log, name, checkpoints[index]?.position.generation ?? 0),
      )
      yield* readTold
      const again = yield* load
      if (again.every(({ position }, index) => position.next === checkpoints[index]?.position.next))
        return { checkpoints, chunks, views, told, toldIsWhole: start === 0 }
    }
    return yield* new StillMoving()
  })

const noteTold = (
  told: ReadonlyArray<Map<string, Told>>,
  processors: ReadonlyArray<Processor>,
  value: string,
): void => {
  const { id } = JSON.parse(value) as { readonly id: string }
  const at = processors.findIndex(({ name }) => id.split("/").at(-2) === name)
  const known = told[at]?.get(id)
  told[at]?.set(id, { digest: digestOf(value), times: (known?.times ?? 0) + 1 })
}

/**
 * Folds everything again beside the live builds, up to where each of them stands, and compares views, state, derived
 * events and the digest of every event, byte for byte. The live build goes on meanwhile.
 */
export const verifyViews = <E = never>(
  log: EventLog,
  { processors, prefix, reader = eventReader, progress = noProgress }: RebuildOptions<E>,
): Effect.Effect<Verification, VerifyFailed | E> =>
  Effect.gen(function* () {
    const live = yield* readLive(log, processors)
    const comparisons: Array<Comparison> = []
    const produced = new Set<string>()
    const firstOfObservations = processors.find(({ topic }) => topic === "observations")
    for (const [index, processor] of processors.entries()) {
      const checkpoint = live.checkpoints[index]
      if (checkpoint === undefined) continue
      const { position } = checkpoint
      const archived = yield* foldPrefix(log, processor, position.since, prefix)
      const refold = makeRefold(log, processor, reader, position.generation, position.toldFrom)
      const { advance } = progress.begin(`verify ${processor.name}`, position.count, "events")
      const compare = comparer(position, live.chunks[index] ?? [], live.told[index] ?? new Map(), live.toldIsWhole)
      // The payloads of observations are proved once, with the first processor that folds them.
      const proof = processor === firstOfObservations ? makePayloadProof() : null
      const unproved: Array<string> = []
      const seen = (record: StoredRecord, folded: Folded) => {
        compare.event(record, folded)
        const wrong = proof?.(folded.event) ?? null
        if (wrong !== null) unproved.push(wrong)
        advance(1)
      }
      // A build that began later than the archive is compared from where it began.
      const since = position.since ?? 0
      refold.folding.skipTo(since)
      if (archived !== null)
        yield* refold.foldAll(
          Stream.map(archived, (batch) => ({
            ...batch,
            records: batch.records.filter(({ offset }) => offset >= since),
          })),
          seen,
        )
      yield* refold.foldTo(position.next, seen)

      const differences = [...compare.done(), ...unproved]
      const reached = refold.folding.position()
      if (reached.count !== position.count) differences.push(`events: ${position.count} live, ${reached.count} rebuilt`)
      if (reached.digest !== position.digest) differences.push("digest of the last event")
      for (const key of new Set([...checkpoint.state.keys(), ...refold.folding.state.keys()]))
        if (JSON.stringify(checkpoint.state.get(key)) !== JSON.stringify(refold.folding.state.get(key)))
          differences.push(`state ${key}`)
      for (const [key, value] of refold.views) {
        produced.add(key)
        const standing = live.views.get(key)
        if (standing === undefined || !Buffer.from(standing).equals(value)) differences.push(`view ${key}`)
      }
      comparisons.push({
        processor: processor.name,
        events: reached.count,
        parting: compare.parting(),
        differences: differences.slice(0, DIFFERENCES_MAX),
      })
    }
    const foreignViews = [...live.views.keys()].filter((key) => !produced.has(key))
    return {
      equal: foreignViews.length === 0 && comparisons.every((one) => one.differences.length === 0),
      comparisons,
      foreignViews: foreignViews.slice(0, DIFFERENCES_MAX),
    }
  })

/** Compares event by event, and remembers the first at which the builds part. */
const comparer = (
  position: Position,
  chunks: ReadonlyArray<DigestChunk>,
  told: ReadonlyMap<string, Told>,
  toldIsWhole: boolean,
) => {
  const digests = new Map<number, string>()
  for (const { ordinal, digests: packed } of [
    ...chunks,
    // The tail is the digests of the last events.
    { ordinal: position.count - unpackDigests(position.tail).length, digests: position.tail },
  ])
    for (const [at, digest] of unpackDigests(packed).entries()) digests.set(ordinal + at, digest)

  let ordinal = 0
  let parting: Parting | null = null
  // Where the topic was trimmed, derived events are compared from the first one that it still holds.
  let reachedTold = toldIsWhole
  const unmatched = new Set(told.keys())
  const differences: Array<string> = []
  const note = (what: Parting["what"], record: StoredRecord, { event }: Folded) => {
    parting ??= { id: event.id, offset: record.offset, type: event.type, what }
  }
  return {
    event: (record: StoredRecord, folded: Folded): void => {
      const digest = digests.get(ordinal)
      ordinal += 1
      if (digest !== undefined && digest !== folded.digest) note("step", record, folded)
      for (const value of folded.derived) {
        const { id } = JSON.parse(value) as { readonly id: string }
        const standing = told.get(id)
        unmatched.delete(id)
        if (standing !== undefined) reachedTold = true
        if (record.offset < position.toldFrom || !reachedTold) continue
        if (standing?.digest === digestOf(value) && standing.times === 1) continue
        note("derived", record, folded)
        differences.push(
          `derived ${id}: ${standing === undefined ? "missing" : standing.times > 1 ? "told twice" : "differs"}`,
        )
      }
    },
    /** The differences so far; derived events that only the live build has told are among them. */
    done: (): Array<string> => {
      // Earlier generations may have told what this one does not.
      if (position.toldFrom === 0) for (const id of unmatched) differences.push(`derived ${id}: only in the log`)
      if (parting !== null) differences.unshift(`event ${parting.id} at ${parting.offset}`)
      return differences
    },
    parting: () => parting,
  }
}
