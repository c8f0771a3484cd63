import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Schema from "effect/Schema"
import reliability from "../../processors/folds/reliability.ts"
import { runProcessor } from "../../processors/run/runner.ts"
import { readValues } from "../../processors/run/stored-values.ts"
import { monitoredWeek } from "../../processors/testing/monitored-week.ts"
import { ProFeedReliability, proFeedReliabilityEndpoint } from "../../schemas/endpoints/pro-feed-reliability.ts"
import { encodeEvent } from "../../schemas/event.ts"
import type { EventLog } from "../../schemas/ports/event-log.ts"

const COMMIT_EVENTS = 2_000
const PATIENCE = "2 minutes"
const text = new TextDecoder()

const Body = Schema.fromJsonString(Schema.Struct({ data: ProFeedReliability }))

/**
 * Appends the scripted week to a log, folds it with the monitor, with a restart half-way, and gives the resulting premium
 * table.
 */
export const foldWeek = (log: EventLog) =>
  Effect.gen(function* () {
    const records = monitoredWeek().map((event, index) => ({
      topic: "observations" as const,
      key: "week",
      value: encodeEvent(event(`week-${index}`)),
    }))
    const writer = yield* log.claim("ingest", ["observations"])
    const append = (from: number, to: number) =>
      Effect.forEach(
        Array.from({ length: Math.ceil((to - from) / COMMIT_EVENTS) }, (_, part) => from + part * COMMIT_EVENTS),
        (at) => writer.commit(records.slice(at, Math.min(to, at + COMMIT_EVENTS))),
        { discard: true },
      )
    /** Runs the monitor until it has folded the log up to the end at its start. */
    const fold = Effect.scoped(
      Effect.gen(function* () {
        let folded = () => {}
        const reached = new Promise<void>((resolve) => {
          folded = resolve
        })
        const running = yield* Effect.forkScoped(
          runProcessor({ log, processor: reliability, ready: Effect.sync(folded) }),
        )
        yield* Effect.raceFirst(
          Fiber.join(running),
          Effect.promise(() => reached),
        ).pipe(Effect.timeout(PATIENCE))
      }),
    )
    const half = Math.floor(records.length / 2)
    yield* append(0, half)
    yield* fold
    yield* append(half, records.length)
    yield* fold
    const latest = (yield* readValues(log, "views")).values.get(proFeedReliabilityEndpoint.path)
    return yield* Schema.decodeUnknownEffect(Body)(text.decode(latest))
  })
