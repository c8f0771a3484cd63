import { execFile } from "node:child_process"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { promisify } from "node:util"
import * as Effect from "effect/Effect"
import * as References from "effect/References"
import { openLmdbLog } from "../../../infra/log/lmdb/event-log.ts"
import type { LogRecord } from "../../../schemas/ports/event-log.ts"
import type { Topic } from "../../../schemas/topics.ts"
import { foldAll } from "../../support/counting.ts"
import { benchmark, type Measure } from "../benchmark.ts"
import { cpuMsOf } from "../cpu-time.ts"
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

/** Milliseconds of processor time that the rebuild of everything in a closed log takes, in a process as the command has it. */
const rebuildMsOf = async (path: string): Promise<number> => {
  const script = fileURLToPath(new URL("../day/rebuild-process.ts", import.meta.url))
  const { stdout } = await promisify(execFile)(process.execPath, [script, path])
  return Number(stdout)
}

/** Folds a part of the day, keeps its observations in the embedded log, and rebuilds everything from that. */
const measuredDay = async (hours: number, whole: boolean): Promise<MeasuredDay> => {
  const path = mkdtempSync(join(tmpdir(), "tidewire-bench-"))
  const scale = HOURS_A_DAY / hours
  try {
    const folded = await Effect.runPromise(
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
          const catchUpMs = yield* cpuMsOf(Effect.forEach(dayProcessors, (one) => foldAll(log, one)))
          return { ...figures, catchUpMs: catchUpMs * scale }
        }),
      ).pipe(Effect.provideService(References.MinimumLogLevel, "None")),
    )
    return { ...folded, rebuildMs: (await rebuildMsOf(path)) * scale }
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
    ...[...LOGGED, ...STORED, "digests" as const, "versions" as const].map((topic) => [topic]),
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
    // 500 until the position of a fold held the number of its last change (9 MB a day), and the checkpoint of a poll what its
    // instance has logged that day and what its sources announce (10 MB). Each replaces the record before it.
    { label: STORED.join(" + "), of: "value", atMost: 520 },
    // The views once more, each as it was: kept a day in the log, then in the history alone.
    { label: "versions", of: "value", atMost: 240 },
    { label: "processor time: rebuild of the day", of: "value", atMost: 60 },
  ],
  run: async () => {
    const before = await measuredDay(HOURS_BEFORE, true)
    const now = await measuredDay(HOURS, false)
    return [...measuresOf(now, "", BEFORE), ...measuresOf(before, BEFORE, null)]
  },
})
