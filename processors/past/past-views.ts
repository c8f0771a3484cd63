import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { cursorText, parseCursor } from "../../schemas/change.ts"
import { Instant, instant } from "../../schemas/event.ts"
import type { History } from "../../schemas/ports/history.ts"
import { type Past, type PastRecords, VersionDamaged } from "../../schemas/ports/past.ts"
import { applyPatch, partsOf, valueHash } from "../../schemas/value-patch.ts"
import { HASH_CHARACTERS } from "./versions.ts"

const VersionRow = Schema.Struct({
  part: Schema.Literals(["body", "freshness"]),
  known_ms: Schema.Int,
  form: Schema.Literals(["whole", "patch", "removed"]),
  hash: Schema.String,
  value: Schema.String,
})
type VersionRow = typeof VersionRow.Type

/** An instant as ClickHouse reads one of a column in UTC. */
const timeText = (ms: number): string => instant(ms).slice(0, -1)

const RowOfView = Schema.Struct({ view: Schema.String, ...VersionRow.fields })

/** The last version of a part of a view before an instant that is no patch. */
const Begin = Schema.Struct({ part: VersionRow.fields.part, view: Schema.String, known_ms: Schema.Int })

const First = Schema.Struct({ view: Schema.String, known_ms: Schema.Int })

const Time = Schema.Struct({ known_ms: Schema.NullOr(Schema.Int) })

const PurgeRow = Schema.Struct({
  view: Schema.NonEmptyString,
  value: Schema.fromJsonString(Schema.Struct({ from: Instant, to: Instant })),
})

/** The first change of a log that is held, and when another one became known. */
const KnownChange = Schema.Struct({
  first_part: Schema.Literals(["change", "begin"]),
  first_value: Schema.String,
  known_ms: Schema.NullOr(Schema.Int),
})

/**
 * Of one part: from its last version before the instant that is no patch, which the patches behind it are over. That one is found
 * backwards in the order of the key, so that the rows of months before it are not read.
 */
const versionsOf = (part: VersionRow["part"]): string => `
  SELECT part, toUnixTimestamp64Milli(known_at) AS known_ms, form, hash, value
  FROM view_versions
  WHERE part = '${part}' AND view = {view:String} AND known_at <= {at:DateTime64(3, 'UTC')} AND known_at >= (
    SELECT known_at FROM view_versions
    WHERE part = '${part}' AND view = {view:String} AND known_at <= {at:DateTime64(3, 'UTC')} AND form != 'patch'
    ORDER BY part DESC, view DESC, known_at DESC LIMIT 1)
  ORDER BY part, view, known_at, log_offset
  LIMIT 1 BY log_offset`

/**
 * The value that versions give in their order; undefined where one of them is missing or damaged, which the hash of the last patch
 * shows: hashing what each of them gives would take longer than all else, for a large view.
 */
const assembled = (rows: ReadonlyArray<VersionRow>): Uint8Array | null | undefined => {
  let value: Uint8Array | null | undefined
  let lastHash: string | null = null
  for (const { form, hash, value: text } of rows) {
    if (form !== "patch") {
      value = form === "removed" ? null : Buffer.from(text)
      lastHash = null
    }
    // What precedes the whole version, known in the same millisecond.
    else if (value === undefined) continue
    else {
      const end = text.indexOf("\n")
      const parts = partsOf(planIn(text.slice(0, end)), Buffer.from(text.slice(end + 1), "latin1"))
      const patched = parts === null || value === null ? null : applyPatch(value, { parts })
      if (patched === null) return undefined
      value = patched
      lastHash = hash
    }
  }
  const isDamaged = lastHash !== null && (value == null || valueHash(value).slice(0, HASH_CHARACTERS) !== lastHash)
  return isDamaged ? undefined : value
}

const planIn = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    return null
  }
}

const recordsOf = (view: string, atMs: number, rows: ReadonlyArray<VersionRow>): PastRecords | VersionDamaged => {
  const of = Object.groupBy(rows, ({ part }) => part)
  const [body, freshness] = [of.body, of.freshness].map((some) => (some === undefined ? null : assembled(some)))
  if (body === undefined || freshness === undefined) return new VersionDamaged({ view, atMs })
  return { body, freshness, knownMs: Math.max(...rows.map(({ known_ms }) => known_ms)) }
}

/** The records of views at an instant: their begins by the columns that are small, then the rows behind each of them. */
const readTogether = Effect.fnUntraced(function* (history: History, views: ReadonlyArray<string>, atMs: number) {
  const parameters = { views, at: timeText(atMs) }
  const begins = yield* history.query(
    `SELECT part, view, toUnixTimestamp64Milli(max(known_at)) AS known_ms FROM view_versions
     WHERE part IN ('body', 'freshness') AND view IN {views:Array(String)}
       AND known_at <= {at:DateTime64(3, 'UTC')} AND form != 'patch'
     GROUP BY part, view`,
    Begin,
    parameters,
  )
  if (begins.length === 0) return new Map<string, PastRecords | VersionDamaged>()
  // Each is a range of the primary key.
  const ranges = begins.map(
    ({ part, view, known_ms }) =>
      `(part = '${part}' AND view = {views:Array(String)}[${views.indexOf(view) + 1}]
        AND known_at >= fromUnixTimestamp64Milli(${known_ms}, 'UTC') AND known_at <= {at:DateTime64(3, 'UTC')})`,
  )
  const rows = yield* history.query(
    `SELECT view, part, known_ms, form, hash, value
     FROM (SELECT view, part, toUnixTimestamp64Milli(known_at) AS known_ms, log_offset, form, hash, value
           FROM view_versions WHERE ${ranges.join(" OR ")} LIMIT 1 BY part, view, log_offset)
     ORDER BY view, part, known_ms, log_offset`,
    RowOfView,
    parameters,
  )
  const byView = Object.entries(Object.groupBy(rows, ({ view }) => view))
  return new Map(byView.map(([view, some = []]) => [view, recordsOf(view, atMs, some)]))
})

/**
 * The past of views, from table `view_versions`. `processors`: the folds that build views with a past, each of which settles
 * what is known.
 */
export const pastViews = (history: History, processors: ReadonlyArray<string>): Past => ({
  settledMs: Effect.map(
    history.query(
      `SELECT view, toUnixTimestamp64Milli(max(known_at)) AS known_ms FROM view_versions
       WHERE part = 'settled' AND view IN {processors:Array(String)} GROUP BY view`,
      Time,
      { processors },
    ),
    (rows) => {
      // Of its own instant a fold may still learn more.
      const times = rows.flatMap(({ known_ms }) => (known_ms === null ? [] : [known_ms - 1]))
      return times.length < processors.length ? null : Math.min(...times)
    },
  ),
  recordsAt: (view, atMs) =>
    Effect.flatMap(
      // Two queries at the same time take half as long as their union.
      Effect.forEach(
        ["body", "freshness"] as const,
        (part) => history.query(versionsOf(part), VersionRow, { view, at: timeText(atMs) }),
        { concurrency: "unbounded" },
      ),
      (found) => {
        const rows = found.flat()
        const records = rows.length === 0 ? null : recordsOf(view, atMs, rows)
        return records instanceof VersionDamaged ? Effect.fail(records) : Effect.succeed(records)
      },
    ),
  recordsTogether: (views, atMs) => readTogether(history, views, atMs),
  changeAt: (atMs) =>
    Effect.map(
      history.query(
        ["change", "begin"]
          .map(
            (part) => `(SELECT value, known_at FROM view_versions
              WHERE part = '${part}' AND value != '' AND known_at <= {at:DateTime64(3, 'UTC')}
              ORDER BY part DESC, view DESC, known_at DESC, log_offset DESC LIMIT 1)`,
          )
          .join(" UNION ALL "),
        Schema.Struct({ value: Schema.String, known_at: Schema.String }),
        { at: timeText(atMs) },
      ),
      // At the begin of a month both may have the same time: then the commit itself is the later one.
      (rows) =>
        parseCursor(rows.toSorted((a, b) => (a.known_at + a.value < b.known_at + b.value ? 1 : -1))[0]?.value ?? ""),
    ),
  // Cursors of one log sort as texts in the order of their changes.
  knownMsOf: (cursor) =>
    Effect.map(
      history.query(
        `SELECT argMin(part, (known_at, log_offset)) AS first_part, argMin(value, (known_at, log_offset)) AS first_value,
           toUnixTimestamp64Milli(minOrNullIf(known_at, part = 'change' AND value >= {cursor:String})) AS known_ms
         FROM view_versions
         WHERE (part = 'change' OR (part = 'begin' AND value != '')) AND startsWith(value, {log:String}) HAVING count() > 0`,
        KnownChange,
        { log: `${cursor.log}.`, cursor: cursorText(cursor) },
      ),
      ([row]) => {
        if (row === undefined) return null
        const text = cursorText(cursor)
        // What stands at the begin of a month was known before it.
        const isBefore = text < row.first_value || (text === row.first_value && row.first_part === "begin")
        return isBefore ? "before" : row.known_ms
      },
    ),
  purges: Effect.map(
    history.query("SELECT view, value FROM view_versions WHERE part = 'purged' LIMIT 1 BY log_offset", PurgeRow),
    (rows) =>
      rows.map(({ view, value }) => ({ path: view, fromMs: Date.parse(value.from), toMs: Date.parse(value.to) })),
  ),
  firstMs: (views) =>
    Effect.map(
      history.query(
        `SELECT view, toUnixTimestamp64Milli(min(known_at)) AS known_ms FROM view_versions
         WHERE part IN ('body', 'freshness') AND view IN {views:Array(String)} GROUP BY view`,
        First,
        { views },
      ),
      (rows) => new Map(rows.map(({ view, known_ms }) => [view, known_ms])),
    ),
})
