import { createHash } from "node:crypto"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as References from "effect/References"
import * as Stream from "effect/Stream"
import { openLmdbLog } from "../../../infra/log/lmdb/event-log.ts"
import latest from "../../../processors/folds/latest.ts"
import { processor } from "../../../processors/processor.ts"
import { makeRefold } from "../../../processors/run/refold.ts"
import { runProcessor } from "../../../processors/run/runner.ts"
import { encodeEvent, instant, makeEvent } from "../../../schemas/event.ts"
import { clockTicked, feedObserved, feedUnchanged } from "../../../schemas/events/observations.ts"
import { instanceKey } from "../../../schemas/feed.ts"
import { type Earthquake, earthquakeInstances, earthquakes } from "../../../schemas/feeds/earthquakes.ts"
import { canonicalJson } from "../../../schemas/json.ts"
import type { EventLog, LogRecord } from "../../../schemas/ports/event-log.ts"
import { eventReader } from "../../../schemas/registry.ts"
import { type Quake, quakes, worldAt } from "../../world/world.ts"
import { benchmark, interleaved } from "../benchmark.ts"

const ROUNDS = 5
const POLLS = 3000
const BEGIN_MS = Date.parse("2026-08-17T00:00:00.000Z")
const MINUTE_MS = 60_000
const COMMIT_RECORDS = 200

const HOURS_MAX = 24 * 5
const hours: Readonly<Record<string, number>> = { hour: 1, day: 24, week: 24 * 3, month: HOURS_MAX }

let minute: { readonly nowMs: number; readonly quakes: ReadonlyArray<Quake> } = { nowMs: 0, quakes: [] }

/** The earthquakes of the simulated world, the same for every list within a minute. */
const quakesOf = (nowMs: number): ReadonlyArray<Quake> => {
  if (minute.nowMs !== nowMs)
    minute = { nowMs, quakes: quakes(worldAt("bench", nowMs), nowMs - HOURS_MAX * 60 * MINUTE_MS, nowMs) }
  return minute.quakes
}

/** A payload of the earthquake feed as the simulated world has it at an instant. */
const payloadAt = (
  magnitude: string,
  period: string,
  atMs: number,
): { readonly items: ReadonlyArray<Earthquake>; readonly facts: Readonly<Record<never, never>> } => {
  const least = Number(magnitude)
  const nowMs = atMs - (atMs % MINUTE_MS)
  return {
    items: quakesOf(nowMs)
      .filter(({ atMs: quakeMs }) => quakeMs >= nowMs - (hours[period] ?? 1) * 60 * MINUTE_MS)
      .filter((quake) => quake.magnitude >= (Number.isNaN(least) ? (magnitude === "all" ? -9 : 5) : least))
      .map((quake) => ({
        id: quake.id,
        type: "earthquake" as const,
        magnitude: quake.magnitude,
        magnitudeType: "ml",
        place: quake.place,
        time: instant(quake.atMs),
        revisedAt: instant(quake.revisedAtMs),
        latitude: quake.latitude,
        longitude: quake.longitude,
        depthKm: quake.depthKm,
        tsunami: false,
        alert: null,
        significance: null,
        status: "automatic",
        url: `https://earthquake.usgs.gov/earthquakes/eventpage/${quake.id}`,
      }))
      .reverse(),
    facts: {},
  }
}

/** The log of the ingest role that polls the twenty earthquake lists: changed payloads, and ticks. */
const observations = (): ReadonlyArray<LogRecord> => {
  const hashes = new Map<string, string>()
  return Array.from({ length: POLLS }, (_, index): LogRecord => {
    const atMs = BEGIN_MS + index * 3000
    const base = { id: `bench-${index}`, source: "tidewire/ingest", time: instant(atMs) }
    if (index % 4 === 3) {
      const event = makeEvent(clockTicked, { ...base, subject: "clock", data: {} })
      return { topic: "observations", key: "clock", value: encodeEvent(event) }
    }
    const parameters = earthquakeInstances[index % earthquakeInstances.length] ?? {}
    const key = instanceKey(earthquakes.name, parameters)
    const payload = payloadAt(parameters.magnitude ?? "", parameters.period ?? "", atMs)
    const hash = createHash("sha256").update(canonicalJson(payload)).digest("hex")
    const changed = hashes.get(key) !== hash
    hashes.set(key, hash)
    const confirmation = {
      feed: earthquakes.name,
      parameters,
      provider: "USGS.earthquakes",
      latencyMs: 120,
      hash,
      contentAt: instant(atMs),
      freshUntil: instant(atMs + 2 * MINUTE_MS),
      standsInFor: null,
    }
    const event = changed
      ? makeEvent(feedObserved, { ...base, subject: key, data: { ...confirmation, payload } })
      : makeEvent(feedUnchanged, { ...base, subject: key, data: confirmation })
    return { topic: "observations", key, value: encodeEvent(event) }
  })
}

const fill = (log: EventLog) =>
  Effect.scoped(
    Effect.gen(function* () {
      const writer = yield* log.claim("ingest", ["observations"])
      const records = observations()
      for (let at = 0; at < records.length; at += COMMIT_RECORDS)
        yield* writer.commit(records.slice(at, at + COMMIT_RECORDS))
    }),
  )

/** Events a second of some work over the whole log. */
const rate = (work: Effect.Effect<unknown, unknown>): Promise<number> =>
  Effect.runPromise(
    Effect.gen(function* () {
      const begun = performance.now()
      yield* work
      return (POLLS * 1000) / (performance.now() - begun)
    }).pipe(Effect.provideService(References.MinimumLogLevel, "None")),
  )

const parse = (log: EventLog) =>
  Stream.runForEach(log.read("observations", 0), ({ records }) =>
    Effect.sync(() => {
      for (const { value } of records) if (value !== null) eventReader.readEvent(value)
    }),
  )

const fold = (log: EventLog) => makeRefold(log, latest, eventReader, 1, 0).foldTo(Number.MAX_SAFE_INTEGER)

let runs = 0
/** The whole runner, each time with a new processor. */
const run = (log: EventLog) =>
  Effect.gen(function* () {
    const reached = yield* Deferred.make<void>()
    const ready = Deferred.succeed(reached, undefined).pipe(Effect.asVoid)
    const fresh = processor({ ...latest, name: `bench-${runs++}` })
    yield* Effect.raceFirst(Effect.scoped(runProcessor({ log, processor: fresh, ready })), Deferred.await(reached))
  })

export default benchmark({
  name: "fold-feeds",
  title: "Folding feed events into views, item changes and digests, against reading and parsing the same log",
  budget: [{ label: "fold", of: "ratio", atLeast: 0.5 }],
  profile:
    "Profile of a fold (2026-11-23): 38 % reads and parses the event, 37 % is the JSON text of the bodies that changed and its SHA-256, and the rest is rows, item changes, freshness and the digest of the event. Bodies are as large as payloads, and writing JSON takes as long as parsing it: so the ratio stays below a half as long as whole payloads are folded.",
  run: async () => {
    const path = mkdtempSync(join(tmpdir(), "tidewire-bench-"))
    try {
      return await Effect.runPromise(
        Effect.scoped(
          Effect.gen(function* () {
            const log = yield* openLmdbLog({ path })
            yield* fill(log)
            const rates = yield* Effect.promise(() =>
              interleaved(ROUNDS, {
                "read and parse": () => rate(parse(log)),
                fold: () => rate(fold(log)),
                "fold and commit": () => rate(run(log)),
              }),
            )
            return [
              { label: "read and parse", value: rates["read and parse"], unit: "events/s" },
              { label: "fold", value: rates.fold, unit: "events/s", ratioTo: "read and parse" },
              {
                label: "fold and commit",
                value: rates["fold and commit"],
                unit: "events/s",
                ratioTo: "read and parse",
              },
            ]
          }),
        ),
      )
    } finally {
      rmSync(path, { recursive: true, force: true })
    }
  },
})
