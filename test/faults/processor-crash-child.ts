import * as Effect from "effect/Effect"
import * as References from "effect/References"
import { openLmdbLog } from "../../infra/log/lmdb/event-log.ts"
import { runProcessor } from "../../processors/run/runner.ts"
import { declared, failed, type GivenEvent, observed, tick, unchangedPoll } from "../../processors/testing/folding.ts"
import { encodeEvent, instant } from "../../schemas/event.ts"
import type { EventLog, FencedWriter } from "../../schemas/ports/event-log.ts"
import { crashFeeds, crashProcessors } from "../support/crash-world.ts"

// A process that appends observations and folds them until it is killed. Its observations depend on the number of events in
// the log only, so that the log is the same however often it was killed.
const path = process.argv[2] ?? ""

const eventAt = (index: number): GivenEvent => {
  const atMs = Date.parse("2026-01-01T00:00:00.000Z") + index * 5000
  const name = crashFeeds[index % crashFeeds.length] ?? ""
  if (index === 0)
    return declared(
      atMs,
      crashFeeds.map((feed) => ({ feed, provider: `P.${feed}` })),
    )
  if (index % 7 === 0) return tick(atMs)
  if (index % 11 === 0) return failed(atMs, name, "timeout", "slow")
  if (index % 3 === 0) return unchangedPoll(atMs, name)
  const items = Array.from({ length: 20 }, (_, item) => ({
    id: `i${(index + item) % 37}`,
    rev: Math.floor(index / 50),
  }))
  return observed(atMs, name, { items })
}

const ingest = (log: EventLog, writer: FencedWriter) =>
  Effect.gen(function* () {
    for (;;) {
      const from = yield* log.end("observations")
      yield* writer.commit(
        Array.from({ length: 1 + (from % 13) }, (_, index) => ({
          topic: "observations" as const,
          key: "x",
          value: encodeEvent(eventAt(from + index)(`${instant(0)}-${from + index}`)),
        })),
      )
      // The parent waits for this line before it kills.
      yield* Effect.sync(() => process.stdout.write("."))
      yield* Effect.sleep("1 millis")
    }
  })

await Effect.runPromise(
  Effect.scoped(
    Effect.gen(function* () {
      const log = yield* openLmdbLog({ path })
      const writer = yield* log.claim("ingest", ["observations"])
      yield* Effect.all(
        [ingest(log, writer), ...crashProcessors.map((processor) => runProcessor({ log, processor }))],
        { concurrency: "unbounded" },
      )
    }),
  ).pipe(Effect.provideService(References.MinimumLogLevel, "None")),
)
