import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as References from "effect/References"
import type * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import { openLmdbLog } from "../../infra/log/lmdb/event-log.ts"
import { type Processor, processor, type Step } from "../../processors/processor.ts"
import { readChunks } from "../../processors/run/checkpoint.ts"
import { CHUNK_EVENTS } from "../../processors/run/folding.ts"
import { type ProcessorStopped, runProcessor } from "../../processors/run/runner.ts"
import { readValues } from "../../processors/run/stored-values.ts"
import { type GivenEvent, observed, tick } from "../../processors/testing/folding.ts"
import { type EventType, encodeEvent } from "../../schemas/event.ts"
import { feedProbed } from "../../schemas/events/deltas.ts"
import { feedObserved } from "../../schemas/events/observations.ts"
import type { EventLog } from "../../schemas/ports/event-log.ts"
import { scopedDirectory } from "./scoped-directory.ts"

/** Runs an effect with a new log, whose folder is removed afterwards. */
export const withLog = <A, E>(use: (log: EventLog) => Effect.Effect<A, E, Scope.Scope>): Promise<A> =>
  Effect.runPromise(
    Effect.scoped(
      scopedDirectory.pipe(
        Effect.flatMap((path) => openLmdbLog({ path })),
        Effect.flatMap(use),
      ),
    ).pipe(Effect.provideService(References.MinimumLogLevel, "None")),
  )

/** Counts observations in state, in a view and in derived events; every tick writes its own view. */
export const counting = (from = 0, name = "counting"): Processor =>
  processor({
    name,
    step: (state, event, nowMs): Step => {
      if (event.type !== feedObserved.type)
        return { views: [{ key: "/tick", body: { v: 2, changedAt: event.time, data: nowMs } }] }
      const count = Number(state.get("count") ?? from) + 1
      return {
        state: [["count", count]],
        views: [{ key: "/count", body: { v: 2, changedAt: event.time, data: count } }],
        events: [
          {
            type: feedProbed as unknown as EventType,
            subject: "things",
            data: { feed: "things", parameters: {}, provider: "A", verdict: "ok", probedAt: event.time, ageMs: count },
          },
        ],
      }
    },
  })

/** The first offset of the sealed digests of a generation. */
export const ordinals = (log: EventLog, generation: number) =>
  Effect.map(readChunks(log, "counting", generation), (chunks) => chunks.map(({ ordinal }) => ordinal))

/** Where the digests begin that are sealed after so many events. */
export const sealedAfter = (events: number): ReadonlyArray<number> =>
  Array.from({ length: Math.floor(events / CHUNK_EVENTS) }, (_, index) => index * CHUNK_EVENTS)

let ids = 0
/** Appends observations. */
export const write = (log: EventLog, events: ReadonlyArray<GivenEvent | Uint8Array>) =>
  Effect.scoped(
    Effect.gen(function* () {
      const writer = yield* log.claim("ingest", ["observations"])
      yield* writer.commit(
        events.map((one) => ({
          topic: "observations" as const,
          key: "things",
          value: typeof one === "function" ? encodeEvent(one(`e${ids++}`)) : one,
        })),
      )
    }),
  )
/** Makes events one second apart; every fifth is a tick. */
export const some = (count: number, fromMs = 0): ReadonlyArray<GivenEvent> =>
  Array.from({ length: count }, (_, index) =>
    index % 5 === 4 ? tick(fromMs + index * 1000) : observed(fromMs + index * 1000, "things", index),
  )

/** Runs a processor until it has folded the whole log. */
export const foldAll = (log: EventLog, one: Processor): Effect.Effect<void, ProcessorStopped> =>
  Effect.gen(function* () {
    const reached = yield* Deferred.make<void>()
    const run = Effect.scoped(
      runProcessor({ log, processor: one, ready: Deferred.succeed(reached, undefined).pipe(Effect.asVoid) }),
    )
    yield* Effect.raceFirst(run, Deferred.await(reached))
  })

/** The data of each view in the log, by key. */
export const views = (log: EventLog) =>
  Effect.map(readValues(log, "views"), ({ values }) =>
    Object.fromEntries([...values].map(([key, value]) => [key, JSON.parse(new TextDecoder().decode(value)).data])),
  )
/** The number of derived events in the log. */
export const derivedCount = (log: EventLog) =>
  Stream.runFold(
    log.read("deltas", 0),
    () => 0,
    (sum, { records }) => sum + records.length,
  )
