import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import * as Effect from "effect/Effect"
import * as References from "effect/References"
import { openLmdbLog } from "../../../infra/log/lmdb/event-log.ts"
import { rebuildViews } from "../../../processors/run/rebuild.ts"
import type { LogRecord } from "../../../schemas/ports/event-log.ts"
import type { Topic } from "../../../schemas/topics.ts"
import { foldAll } from "../../support/counting.ts"
import { benchmark, type Measure } from "../benchmark.ts"
import { type DayFigures, dayProcessors, foldDay, HOURS_A_DAY } from "../day/fold-day.ts"

/** Hours of the day that are simulated; what does not come once a day is scaled to all of it. */
const HOURS = 3
const HOURS_BEFORE = 1
const COMMIT_RECORDS = 500
const MEGABYTE = 1_000_000

interface MeasuredDay extends DayFigures {
  /** The runner folds what waits for it, and commits. */
  readonly catchUpMs: number
  readonly rebuildMs: number
}

/** Milliseconds of processor time that some work takes, collecting garbage included: what else runs does not count. */
const timed = <E, R>(work: Effect.Effect<unknown, E, R>): Effect.Effect<number, E, R> =>
  Effect.suspend(() => {
    const begun = process.cpuUsage()
    return Effect.map(work, () => {
      const { user, system } = process.cpuUsage(begun)
      return (user + system) / 1000
    })
  })

/** Folds a part of the day, keeps its observations in the embedded log, and rebuilds everything from that. */
const measuredDay = async (hours: number, whole: boolean): Promise<MeasuredDay> => {
  const path = mkdtempSync(join(tmpdir(), "tidewire-bench-"))
  try {
    return await Effect.runPromise(
      Effect.scoped(
        Effect.gen(function* () {
          const log = yield* openLmdbLog({ path })
          const writer = yield* log.claim("ingest", ["observations"])
          let waiting: Array<LogRecord> = []
          const flush = async () => {
            await Effect.runPromise(writer.commit(waiting))
            waiting = []
          }
          const figures = yield* Effect.promise(() =>
            foldDay({
              hours,
              whole,
              observed: async (record) => {
                waiting.push(record)
                if (waiting.length === COMMIT_RECORDS) await flush()
              },
            }),
          )
          yield* Effect.promise(flush)
          const scale = HOURS_A_DAY / hours
          const catchUpMs = yield* timed(Effect.forEach(dayProcessors, (one) => foldAll(log, one)))
          const rebuildMs = yield* timed(rebuildViews(log, { processors: dayProcessors }))
          return { ...figures, catchUpMs: catchUpMs * scale, rebuildMs: rebuildMs * scale }
        }),
      ).pipe(Effect.provideService(References.MinimumLogLevel, "None")),
    )
  } finally {
    rmSync(path, { recursive: true, force: true })
  }
}

const LOGGED: ReadonlyArray<Topic> = ["observations", "deltas"]
const STORED: ReadonlyArray<Topic> = ["checkpoints", "views"]
const BEFORE = "before: "

/** The figures of a day; with `ratioTo`, each beside its counterpart under that prefix. */
const measuresOf = (day: MeasuredDay, prefix: string, ratioTo: string | null): ReadonlyArray<Measure> => {
  const measure = (label: string, value: number, unit: string): Measure => ({
    label: `${prefix}${label}`,
    value,
    unit,
    ...(ratioTo === null ? {} : { ratioTo: `${ratioTo}${label}` }),
  })
  const bytes = (topics: ReadonlyArray<Topic>) =>
    topics.reduce((sum, topic) => sum + (day.bytes.get(topic) ?? 0), 0) / MEGABYTE
  const groups: ReadonlyArray<ReadonlyArray<Topic>> = [
    ...[...LOGGED, ...STORED, "digests" as const].map((topic) => [topic]),
    LOGGED,
    STORED,
  ]
  return [
    ...groups.map((topics) => measure(topics.join(" + "), bytes(topics), "MB a day")),
    measure("events", day.events, "a day"),
    measure("commits, ingest and processors", day.commits, "a day"),
    measure("processor time: fold, and records of each commit", day.foldMs / 1000, "s a day"),
    measure("processor time: catching up with the day", day.catchUpMs / 1000, "s"),
    measure("processor time: rebuild of the day", day.rebuildMs / 1000, "s"),
  ]
}

export default benchmark({
  name: "day-of-feeds",
  title: `A day of all feeds (${HOURS} h of it, first polls counted once, the rest scaled), against whole payloads and whole values (${HOURS_BEFORE} h)`,
  budget: [
    { label: LOGGED.join(" + "), of: "value", atMost: 400 },
    { label: STORED.join(" + "), of: "value", atMost: 500 },
    { label: "processor time: rebuild of the day", of: "value", atMost: 60 },
  ],
  profile:
    "The rebuild is a command, which has V8's own settings: with them (`node test/bench/run.ts day-of-feeds`) the same took 37.9 s on the same machine and day, 0.66 of its form before. Here it has the small heap of the service, whose young generation is collected four times as often.",
  run: async () => {
    const before = await measuredDay(HOURS_BEFORE, true)
    const now = await measuredDay(HOURS, false)
    return [...measuresOf(now, "", BEFORE), ...measuresOf(before, BEFORE, null)]
  },
})
