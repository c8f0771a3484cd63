import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import * as Stream from "effect/Stream"
import type { MalformedEvent, NewerEvent } from "../../schemas/event.ts"
import type { EventLog, ReadFailed, StoredRecord } from "../../schemas/ports/event-log.ts"
import { noProgress } from "../../schemas/ports/progress.ts"
import { eventReader } from "../../schemas/registry.ts"
import { valueKeyOf } from "../../schemas/values/value-patch.ts"
import type { Processor } from "../processor.ts"
import { type Checkpoint, type CheckpointUnreadable, type EventsTrimmed, loadCheckpoint } from "./checkpoint.ts"
import { compareEvents, type LoggedEvent, type Parting } from "./compare-events.ts"
import { digestOf } from "./digest.ts"
import { type DigestChunk, readChunks } from "./digest-chunks.ts"
import type { Folded } from "./folding.ts"
import { makePayloadProof } from "./payload-proof.ts"
import type { RebuildOptions } from "./rebuild.ts"
import { makeRefold } from "./refold.ts"
import { foldPrefix } from "./refold-all.ts"
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
  const at = processors.findIndex(({ name }) => id.split("/").at(-2) === name)
  const known = derived[at]?.get(id)
  derived[at]?.set(id, { digest: digestOf(value), times: (known?.times ?? 0) + 1 })
}

/**
 * Folds everything again beside the live builds, up to the position of each, and compares views, state, derived events and
 * the digest of every event, byte for byte. The live builds continue meanwhile.
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
