import { mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import * as Effect from "effect/Effect"
import * as References from "effect/References"
import * as Schema from "effect/Schema"
import { openClickHouse } from "../../../infra/history/clickhouse.ts"
import { startEmbeddedClickHouse } from "../../../infra/history/engine.ts"
import { readSlice, type Target, targetsOf } from "../../../processors/history/targets.ts"
import { pastViews } from "../../../processors/past/past-views.ts"
import { pastProcessors } from "../../../processors/past/processors.ts"
import { tables } from "../../../processors/registry.ts"
import { makeKeepsPast } from "../../../schemas/contract/past.ts"
import type { StoredRecord } from "../../../schemas/ports/event-log.ts"
import type { History } from "../../../schemas/ports/history.ts"
import type { Past } from "../../../schemas/ports/past.ts"
import { endpoints, eventReader } from "../../../schemas/registry.ts"
import { benchmark, percentile } from "../benchmark.ts"
import { foldDay, HOURS_A_DAY } from "../day/fold-day.ts"

/** Hours of the day that are folded; the first polls count once, the rest is scaled to the day. */
const HOURS = 3
/** Days that stand behind each other, each with these hours: instants of all of them are asked for. */
const DAYS = 90
const ASKED = 500
const ROWS_OF_INSERT = 500
const MEGABYTE = 1_000_000
const DAY_MS = 86_400_000

const Bytes = Schema.Struct({ bytes: Schema.Natural })
const VersionKey = Schema.Struct({ view: Schema.String, known_ms: Schema.Int })

const bytesOf = (history: History, table: string) =>
  Effect.map(
    history.query(
      `SELECT sum(data_compressed_bytes) AS bytes FROM system.parts
       WHERE database = currentDatabase() AND table = {table:String} AND active`,
      Bytes,
      { table },
    ),
    ([row]) => row?.bytes ?? 0,
  )

const isVersions = ({ topic }: Target): boolean => topic === "versions"

/** Writes the versions of some hours into archive and table, as the history does; gives the bytes of both, merged. */
const store = Effect.fnUntraced(function* (history: History, records: ReadonlyArray<StoredRecord>) {
  const targets = targetsOf(tables).filter(isVersions)
  for (let from = 0; from < records.length; from += ROWS_OF_INSERT) {
    const { entries } = yield* readSlice(eventReader, records.slice(from, from + ROWS_OF_INSERT))
    for (const target of targets) {
      const rows = entries.flatMap((entry) => target.rows(entry).map(({ row }) => row))
      if (rows.length > 0) yield* history.insert({ table: target.table, rows, token: `${target.name}/${from}` })
    }
  }
  const sizes = new Map<string, number>()
  for (const table of new Set(targets.map((one) => one.table))) {
    yield* history.execute(`OPTIMIZE TABLE ${table} FINAL`)
    sizes.set(table, yield* bytesOf(history, table))
  }
  return sizes
})

/** A database of its own for each size that is measured. */
const withHistory = async <A, E>(use: (history: History, url: string) => Effect.Effect<A, E>): Promise<A> => {
  const directory = await mkdtemp(join(tmpdir(), "tidewire-bench-"))
  try {
    return await Effect.runPromise(
      Effect.scoped(
        Effect.gen(function* () {
          const engine = yield* startEmbeddedClickHouse({ directory, httpPort: 0, tcpPort: 0 })
          const history = yield* openClickHouse({ url: engine.url, ...engine.writer })
          yield* history.prepare
          return yield* use(history, engine.url)
        }),
      ).pipe(Effect.provideService(References.MinimumLogLevel, "None")),
    )
  } finally {
    await rm(directory, { recursive: true, force: true })
  }
}

const versionsOf = async (hours: number): Promise<ReadonlyArray<StoredRecord>> => {
  const records: Array<StoredRecord> = []
  const written = ({ topic, key, value }: { topic: string; key: string; value: Uint8Array | null }) => {
    if (topic === "versions") records.push({ offset: records.length, key, value })
  }
  await foldDay({ hours, whole: false, written })
  return records
}

/**
 * Writes the rows of the last day once more, so many days earlier. The engine has a small memory, which its merges need at the
 * same time: where it is used up, the rest of that day is left out.
 */
const copyDay = (history: History, day: number) =>
  history
    .execute(
      `INSERT INTO view_versions SELECT part, view, known_at - INTERVAL ${day} DAY, form, hash, value, event_id, log_offset
       FROM view_versions WHERE known_at >= (SELECT max(known_at) - INTERVAL 1 DAY FROM view_versions)
       SETTINGS max_threads = 1, max_block_size = 256, min_insert_block_size_bytes = 4194304`,
    )
    .pipe(
      Effect.catchTag("HistoryUnavailable", () => Effect.void),
      Effect.andThen(Effect.sleep("200 millis")),
    )

/** Milliseconds that each of these reads takes, one after another. */
const timesOf = (
  past: Past,
  asked: ReadonlyArray<typeof VersionKey.Type>,
  before: Effect.Effect<void, unknown> = Effect.void,
) =>
  Effect.gen(function* () {
    const times: Array<number> = []
    for (const { view, known_ms } of asked) {
      yield* before
      const begun = performance.now()
      yield* past.knownAt(view, known_ms + 1)
      times.push(performance.now() - begun)
    }
    return times
  })

export default benchmark({
  name: "past",
  title: `The past: what the versions of views cost a day, and how long one of ${DAYS} days takes to read (${HOURS} h of each day)`,
  budget: [
    { label: "view_versions, as ClickHouse stores them", of: "value", atMost: 60 },
    { label: "read of a view at an instant, p99", of: "value", atMost: 30 },
    { label: "the same, caches dropped before each, p99", of: "value", atMost: 300 },
  ],
  run: async () => {
    const [short, long] = [await versionsOf(1), await versionsOf(HOURS)]
    const bytes = (records: ReadonlyArray<StoredRecord>) =>
      records.reduce((sum, { value }) => sum + (value?.length ?? 0), 0)
    /** The day of a figure that was measured for one hour and for all of them. */
    const aDay = (first: number, all: number) => (first + ((all - first) / (HOURS - 1)) * (HOURS_A_DAY - 1)) / MEGABYTE
    const first = await withHistory((history) => store(history, short))
    return withHistory((history) =>
      Effect.gen(function* () {
        const all = yield* store(history, long)
        for (let day = 1; day < DAYS; day++) yield* copyDay(history, day)
        // Parts of past months are merged.
        yield* Effect.ignore(history.execute("OPTIMIZE TABLE view_versions FINAL"))
        const keepsPast = makeKeepsPast(endpoints)
        const known = yield* history.query(
          `SELECT view, toUnixTimestamp64Milli(known_at) AS known_ms FROM view_versions
           WHERE part = 'body' ORDER BY cityHash64(view, known_at) LIMIT ${ASKED * 4}`,
          VersionKey,
        )
        const asking = known.filter(({ view }) => keepsPast(view))
        const [learnt, asked] = [asking.slice(0, ASKED), asking.slice(ASKED, 2 * ASKED)]
        const dropCaches = Effect.gen(function* () {
          for (const cache of ["MARK CACHE", "UNCOMPRESSED CACHE", "INDEX MARK CACHE"])
            yield* history.execute(`SYSTEM DROP ${cache}`)
        })
        // One reader, as a service has: of other instants it has learnt how far back it must read.
        const past = pastViews(history, pastProcessors)
        yield* timesOf(past, learnt)
        const warm = yield* timesOf(past, asked)
        const cold = yield* timesOf(pastViews(history, pastProcessors), asked.slice(0, 100), dropCaches)
        const spanDays =
          (Math.max(...asked.map((one) => one.known_ms)) - Math.min(...asked.map((one) => one.known_ms))) / DAY_MS
        return [
          { label: "topic versions", value: aDay(bytes(short), bytes(long)), unit: "MB a day" },
          {
            label: "view_versions, as ClickHouse stores them",
            value: aDay(first.get("view_versions") ?? 0, all.get("view_versions") ?? 0),
            unit: "MB a day",
            ratioTo: "topic versions",
          },
          {
            label: "events of the topic in the archive, as ClickHouse stores them",
            value: aDay(first.get("events") ?? 0, all.get("events") ?? 0),
            unit: "MB a day",
            ratioTo: "topic versions",
          },
          { label: "days between the first and the last instant", value: spanDays, unit: "days" },
          { label: "read of a view at an instant, p50", value: percentile(warm, 0.5), unit: "ms" },
          { label: "read of a view at an instant, p99", value: percentile(warm, 0.99), unit: "ms" },
          { label: "the same, caches dropped before each, p99", value: percentile(cold, 0.99), unit: "ms" },
        ]
      }),
    )
  },
})
