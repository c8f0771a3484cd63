import { createHash } from "node:crypto"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import * as Stream from "effect/Stream"
import { withoutSequence } from "../../schemas/change.ts"
import type { Envelope, MalformedEvent, NewerEvent } from "../../schemas/event.ts"
import { instanceKey } from "../../schemas/feed.ts"
import { canonicalJson } from "../../schemas/json.ts"
import type { EventLog, Offset, ReadFailed, StoredRecord } from "../../schemas/ports/event-log.ts"
import { noProgress } from "../../schemas/ports/progress.ts"
import { eventReader } from "../../schemas/registry.ts"
import { valueKeyOf } from "../../schemas/value-patch.ts"
import { type HashedPayload, payloadOf, pollDataOf } from "../feed-state.ts"
import type { Processor } from "../processor.ts"
import {
  type Checkpoint,
  type CheckpointUnreadable,
  type DigestChunk,
  type EventsTrimmed,
  loadCheckpoint,
  type Position,
  readChunks,
} from "./checkpoint.ts"
import { digestOf, keptDigits, unpackDigests } from "./digest.ts"
import type { Folded } from "./folding.ts"
import { foldBatches, foldPrefix, makeRefold, type RefoldOptions } from "./refold.ts"
import { readValues, type StoredValues } from "./stored-values.ts"

/** How the live build of one processor compares with a refold up to its position. */
interface Comparison {
  readonly processor: string
  readonly events: number
  readonly parting: Parting | null
  /** Messages, at most `DIFFERENCES_MAX` of them. */
  readonly differences: ReadonlyArray<string>
}

/** The outcome of a verification. */
export interface Verification {
  readonly equal: boolean
  readonly comparisons: ReadonlyArray<Comparison>
  /** Keys of `views` that no processor produces. */
  readonly foreignViews: ReadonlyArray<string>
}

/** The live build commits faster than its records can be read. */
class StillMoving extends Schema.TaggedError<StillMoving>()("StillMoving", {}) {
  override get message() {
    return "the running service commits faster than its records can be read: stop it, then verify"
  }
}

export type VerifyFailed = ReadFailed | NewerEvent | MalformedEvent | EventsTrimmed | CheckpointUnreadable | StillMoving

const DIFFERENCES_MAX = 20
const ATTEMPTS_MAX = 5
const text = new TextDecoder()

interface LiveBuilds {
  readonly checkpoints: ReadonlyArray<Checkpoint>
  /** The sealed digests of each processor. */
  readonly chunks: ReadonlyArray<ReadonlyArray<DigestChunk>>
  readonly views: StoredValues
  /** The derived events of each processor, by id. */
  readonly derived: ReadonlyArray<ReadonlyMap<string, LoggedEvent>>
  readonly derivedIsWhole: boolean
}

/**
 * Reads all live builds in a consistent state. Derived events are many: they are read once, and then only those that were
 * added. The rest is read again until no position has changed meanwhile.
 */
const readLive = (
  log: EventLog,
  processors: ReadonlyArray<Processor>,
): Effect.Effect<LiveBuilds, ReadFailed | CheckpointUnreadable | StillMoving> =>
  Effect.gen(function* () {
    const load = Effect.forEach(processors, (one) => loadCheckpoint(log, one))
    const derived = processors.map(() => new Map<string, LoggedEvent>())
    const start = yield* log.start("deltas")
    let next = start
    const readDerived = Effect.suspend(() =>
      Stream.runForEach(log.read("deltas", next), (batch) =>
        Effect.sync(() => {
          for (const { value } of batch.records)
            if (value !== null) noteDerived(derived, processors, text.decode(value))
          next = batch.next
        }),
      ),
    )
    yield* readDerived
    for (let attempt = 0; attempt < ATTEMPTS_MAX; attempt += 1) {
      const checkpoints = yield* load
      const views = yield* readValues(log, "views")
      const chunks = yield* Effect.forEach(processors, ({ name }, index) =>
        readChunks(log, name, checkpoints[index]?.position.generation ?? 0),
      )
      yield* readDerived
      const again = yield* load
      if (again.every(({ position }, index) => position.next === checkpoints[index]?.position.next))
        return { checkpoints, chunks, views, derived, derivedIsWhole: start === 0 }
    }
    return yield* new StillMoving()
  })

const noteDerived = (
  derived: ReadonlyArray<Map<string, LoggedEvent>>,
  processors: ReadonlyArray<Processor>,
  value: string,
): void => {
  const { id } = JSON.parse(value) as { readonly id: string }
  // A number is given once, whatever a build derives: it is no part of what is compared.
  const text = withoutSequence(value)
  const at = processors.findIndex(({ name }) => id.split("/").at(-2) === name)
  const known = derived[at]?.get(id)
  derived[at]?.set(id, { digest: digestOf(text), times: (known?.times ?? 0) + 1 })
}

/**
 * Folds everything again beside the live builds, up to the position of each, and compares views, state, derived events and
 * the digest of every event, byte for byte. The live builds continue meanwhile.
 */
export const verifyViews = <E = never>(
  log: EventLog,
  { processors, prefix, reader = eventReader, progress = noProgress }: RefoldOptions<E>,
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
      const refold = makeRefold(log, processor, reader, position.generation, position.derivedFrom)
      const { advance } = progress.begin(`verify ${processor.name}`, position.count, "events")
      const compare = compareEvents(
        position,
        live.chunks[index] ?? [],
        live.derived[index] ?? new Map(),
        live.derivedIsWhole,
      )
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
        yield* foldBatches(
          Stream.map(archived, (batch) => ({
            ...batch,
            records: batch.records.filter(({ offset }) => offset >= since),
          })),
          [{ refold, until: Number.POSITIVE_INFINITY, seen }],
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
        const standing = live.views.values.get(key)
        if (standing === undefined || !Buffer.from(standing).equals(value)) differences.push(`view ${key}`)
      }
      comparisons.push({
        processor: processor.name,
        events: reached.count,
        parting: compare.parting(),
        differences: differences.slice(0, DIFFERENCES_MAX),
      })
    }
    const standingViews = new Set([...live.views.logKeys].map(valueKeyOf))
    const foreignViews = [...standingViews].filter((key) => !produced.has(key))
    return {
      equal: foreignViews.length === 0 && comparisons.every((one) => one.differences.length === 0),
      comparisons,
      foreignViews: foreignViews.slice(0, DIFFERENCES_MAX),
    }
  })

/** The first event after which two builds differ. */
interface Parting {
  readonly id: string
  readonly offset: Offset
  readonly type: string
  /** What differs first: the result of the step, or only its derived events in the log. */
  readonly what: "step" | "derived"
}

/** A derived event in the log: the digest of its text, and how often it occurs. */
interface LoggedEvent {
  readonly digest: string
  readonly times: number
}

/** Compares event by event, and keeps the first at which the builds differ. */
const compareEvents = (
  position: Position,
  chunks: ReadonlyArray<DigestChunk>,
  derived: ReadonlyMap<string, LoggedEvent>,
  derivedIsWhole: boolean,
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
  let reachedDerived = derivedIsWhole
  const unmatched = new Set(derived.keys())
  const differences: Array<string> = []
  const note = (what: Parting["what"], record: StoredRecord, { event }: Folded) => {
    parting ??= { id: event.id, offset: record.offset, type: event.type, what }
  }
  return {
    event: (record: StoredRecord, folded: Folded): void => {
      const digest = digests.get(ordinal)
      ordinal += 1
      if (digest !== undefined && digest !== keptDigits(folded.digest)) note("step", record, folded)
      for (const value of folded.derived) {
        const { id } = JSON.parse(value) as { readonly id: string }
        const logged = derived.get(id)
        unmatched.delete(id)
        if (logged !== undefined) reachedDerived = true
        if (record.offset < position.derivedFrom || !reachedDerived) continue
        if (logged?.digest === digestOf(value) && logged.times === 1) continue
        note("derived", record, folded)
        differences.push(
          `derived ${id}: ${logged === undefined ? "missing" : logged.times > 1 ? "logged twice" : "differs"}`,
        )
      }
    },
    /** The differences, derived events that only the log holds included. */
    done: (): Array<string> => {
      // Earlier generations may have logged derived events that this one does not make.
      if (position.derivedFrom === 0) for (const id of unmatched) differences.push(`derived ${id}: only in the log`)
      if (parting !== null) differences.unshift(`event ${parting.id} at ${parting.offset}`)
      return differences
    },
    parting: () => parting,
  }
}

/**
 * Makes a check that each payload of the log, patches included, has the hash that its event names: folds compare hashes as
 * texts only. The check takes events in order and gives the problem of an event, or null. A patch whose base lies before
 * the first event is skipped.
 */
export const makePayloadProof = (): ((event: Envelope<string, unknown>) => string | null) => {
  const held = new Map<string, HashedPayload>()
  return (event) => {
    const data = pollDataOf(event)
    if (data === null) return null
    const key = instanceKey(data.feed, data.parameters)
    const before = held.get(key) ?? null
    const after = payloadOf(event, before)
    if (after._tag === "Lost")
      return before === null
        ? null
        : `event ${event.id}: it builds on a payload of ${key} that is not the one before it`
    if (after._tag === "Same") return null
    const { payload, hash } = after
    held.set(key, { payload, hash })
    return createHash("sha256").update(canonicalJson(payload)).digest("hex") === hash
      ? null
      : `event ${event.id}: its payload of ${key} does not have the hash that it names`
  }
}
