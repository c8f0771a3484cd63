import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { type Cursor, cursorText } from "../../schemas/change.ts"
import { Instant } from "../../schemas/event.ts"
import type { History } from "../../schemas/ports/history.ts"
import type { Past, PastRecords, VersionDamaged } from "../../schemas/ports/past.ts"
import { recordsOf, timeText, VersionRow } from "./assembled.ts"
import { changeAt, makeKnownAt } from "./known-at.ts"

const RowOfView = Schema.Struct({ view: Schema.String, ...VersionRow.fields })

/** The last version of a part of a view before an instant that is no patch. */
const Begin = Schema.Struct({ part: VersionRow.fields.part, view: Schema.String, known_ms: Schema.Int })

const First = Schema.Struct({ view: Schema.String, known_ms: Schema.Int })

const Time = Schema.Struct({ known_ms: Schema.NullOr(Schema.Int) })

const PurgeRow = Schema.Struct({
  view: Schema.NonEmptyString,
  value: Schema.fromJsonString(Schema.Struct({ from: Instant, to: Instant })),
})

/** The commit of a change, or the first one that is held, with the last change that it says. */
const Commit = Schema.Struct({
  which: Schema.Literals(["first", "found"]),
  part: Schema.Literals(["change", "begin"]),
  known_ms: Schema.Int,
  log_offset: Schema.Int,
  value: Schema.String,
})

const commits = (which: (typeof Commit.Type)["which"], condition: string, order: string): string =>
  `(SELECT '${which}' AS which, part, toUnixTimestamp64Milli(known_at) AS known_ms, log_offset, value
    FROM view_versions WHERE value < {end:String} AND ${condition} ORDER BY ${order} LIMIT 1)`

/**
 * Cursors of one log sort as texts in the order of their changes, and the commits that say them in the order of their times. So the
 * commit of a change is the first one that says its cursor or a later one, and the search begins with the month of the change: the
 * begin of each says the last change before it.
 */
const COMMITS = [
  commits("first", "part = 'change' AND value >= {log:String}", "part, view, known_at, log_offset"),
  commits("first", "part = 'begin' AND value >= {log:String}", "known_at, log_offset"),
  commits(
    "found",
    `part = 'change' AND value >= {cursor:String} AND known_at >= (
       SELECT max(known_at) FROM view_versions WHERE part = 'begin' AND value >= {log:String} AND value < {cursor:String})`,
    "part, view, known_at, log_offset",
  ),
].join(" UNION ALL ")

const readKnownMs = Effect.fnUntraced(function* (history: History, cursor: Cursor) {
  const text = cursorText(cursor)
  const parameters = { log: `${cursor.log}.`, end: `${cursor.log}/`, cursor: text }
  const { first: firsts = [], found } = Object.groupBy(
    yield* history.query(COMMITS, Commit, parameters),
    ({ which }) => which,
  )
  const [first] = firsts.toSorted((a, b) => a.known_ms - b.known_ms || a.log_offset - b.log_offset)
  if (first === undefined) return null
  // What stands at the begin of a month was known before it.
  const isBefore = text < first.value || (text === first.value && first.part === "begin")
  return isBefore ? "before" : (found?.[0]?.known_ms ?? null)
})

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
  knownAt: makeKnownAt(history),
  recordsTogether: (views, atMs) => readTogether(history, views, atMs),
  changeAt: (atMs) => changeAt(history, atMs),
  knownMsOf: (cursor) => readKnownMs(history, cursor),
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
