import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { LRUCache } from "lru-cache"
import { type Cursor, parseCursor } from "../../schemas/change.ts"
import type { History, HistoryFailed, HistoryUndecodable } from "../../schemas/ports/history.ts"
import { type Past, VersionDamaged } from "../../schemas/ports/past.ts"
import { recordsOf, timeText, VersionRow } from "./assembled.ts"

// What a view was at an instant is read in one query where it is known how far back its rows reach: for the engine, planning a
// query takes several times as long as reading the few rows.

/** A row of any part that is read. */
const KnownRow = Schema.Struct({
  ...VersionRow.fields,
  part: Schema.Literals(["body", "freshness", "change", "begin"]),
  form: Schema.Literals(["whole", "patch", "removed", ""]),
  log_offset: Schema.Int,
})
type KnownRow = typeof KnownRow.Type

const COLUMNS = "part, toUnixTimestamp64Milli(known_at) AS known_ms, log_offset, form, hash, value"

/**
 * Of one part: from its last version before the instant that is no patch, which the patches behind it are over. That one is found
 * backwards in the order of the key, so that the rows of months before it are not read.
 */
const versionsOf = (part: VersionRow["part"]): string => `
  SELECT ${COLUMNS} FROM view_versions
  WHERE part = '${part}' AND view = {view:String} AND known_at <= {at:DateTime64(3, 'UTC')} AND known_at >= (
    SELECT known_at FROM view_versions
    WHERE part = '${part}' AND view = {view:String} AND known_at <= {at:DateTime64(3, 'UTC')} AND form != 'patch'
    ORDER BY part DESC, view DESC, known_at DESC LIMIT 1)`

/** The last row of each part that holds a cursor. */
const LAST_CHANGES = ["change", "begin"]
  .map(
    (part) => `(SELECT ${COLUMNS} FROM view_versions
      WHERE part = '${part}' AND value != '' AND known_at <= {at:DateTime64(3, 'UTC')}
      ORDER BY part DESC, view DESC, known_at DESC, log_offset DESC LIMIT 1)`,
  )
  .join(" UNION ALL ")

/** A reply larger than any view with its patches: the rows within a reach may be many more than are needed. */
const RESULT_MAX_BYTES = 16 * 1024 * 1024

const WITHIN_REACH = `
  SELECT ${COLUMNS} FROM view_versions
  WHERE known_at <= {at:DateTime64(3, 'UTC')}
    AND ((part = 'body' AND view = {view:String} AND known_at >= {body:DateTime64(3, 'UTC')})
      OR (part = 'freshness' AND view = {view:String} AND known_at >= {freshness:DateTime64(3, 'UTC')})
      OR (part IN ('change', 'begin') AND value != '' AND known_at >= {change:DateTime64(3, 'UTC')}))
  SETTINGS max_result_bytes = ${RESULT_MAX_BYTES}`

/** How long before an instant the rows began that make up what was known then, in milliseconds. */
type Reach = Readonly<Record<"body" | "freshness" | "change", number>>

/** Beyond it a view is read backwards each time: a longer range may hold more rows than two further queries cost. */
const REACH_MAX_MS = 60 * 60 * 1000
/** What another instant may need beyond what one has needed. */
const REACH_SLACK = 2
const REACHES_MAX = 2_000

/** The cursor of the last change: cursors of one log sort as texts in the order of their changes. */
const lastChange = (rows: ReadonlyArray<KnownRow>): KnownRow | undefined =>
  rows
    .filter(({ part }) => part === "change" || part === "begin")
    // At the begin of a month both may have the same time: then the commit itself is the later one.
    .reduce<KnownRow | undefined>((last, row) => {
      if (last === undefined || row.known_ms > last.known_ms) return row
      return row.known_ms === last.known_ms && row.value > last.value ? row : last
    }, undefined)

const isVersion = (row: KnownRow): row is KnownRow & VersionRow => row.part === "body" || row.part === "freshness"

/** The versions among rows in their order, each once: an insert may have been repeated. */
const versionsIn = (rows: ReadonlyArray<KnownRow>): ReadonlyArray<VersionRow> => {
  const once = new Map(rows.filter(isVersion).map((row) => [`${row.part} ${row.log_offset}`, row]))
  return [...once.values()].sort((a, b) => a.known_ms - b.known_ms || a.log_offset - b.log_offset)
}

/** How far these rows reach back from an instant to the begins of all parts; null where one of them has none. */
const reachOf = (rows: ReadonlyArray<KnownRow>, atMs: number): Reach | null => {
  const begin = (part: VersionRow["part"]) => {
    const begins = rows.filter((row) => row.part === part && row.form !== "patch").map(({ known_ms }) => known_ms)
    return begins.length === 0 ? null : atMs - Math.max(...begins)
  }
  const [body, freshness, change] = [begin("body"), begin("freshness"), lastChange(rows)]
  if (body === null || freshness === null || change === undefined) return null
  return { body, freshness, change: atMs - change.known_ms }
}

/** What a view was at an instant, from table `view_versions`. */
export const makeKnownAt = (history: History): Past["knownAt"] => {
  const reaches = new LRUCache<string, Reach>({ max: REACHES_MAX })

  const readWithin = (view: string, atMs: number, reach: Reach) => {
    const from = (ms: number) => timeText(atMs - Math.ceil(ms * REACH_SLACK))
    const parameters = {
      view,
      at: timeText(atMs),
      body: from(reach.body),
      freshness: from(reach.freshness),
      change: from(reach.change),
    }
    // Refused where the rows are too many.
    return Effect.catchTag(history.query(WITHIN_REACH, KnownRow, parameters), "HistoryRefused", () => {
      reaches.delete(view)
      return Effect.succeed([])
    })
  }

  const readBackwards = Effect.fnUntraced(function* (view: string, atMs: number) {
    // Queries at the same time take half as long as their union.
    const found = yield* Effect.forEach(
      [versionsOf("body"), versionsOf("freshness"), LAST_CHANGES],
      (sql) => history.query(sql, KnownRow, { view, at: timeText(atMs) }),
      { concurrency: "unbounded" },
    )
    const rows = found.flat()
    const [known, seen] = [reaches.get(view), reachOf(rows, atMs)]
    if (seen !== null && Math.max(...Object.values(seen)) <= REACH_MAX_MS)
      reaches.set(view, {
        body: Math.max(seen.body, known?.body ?? 0),
        freshness: Math.max(seen.freshness, known?.freshness ?? 0),
        change: Math.max(seen.change, known?.change ?? 0),
      })
    return rows
  })

  const rowsAt = Effect.fnUntraced(function* (view: string, atMs: number) {
    const reach = reaches.get(view)
    const within = reach === undefined ? [] : yield* readWithin(view, atMs, reach)
    return reachOf(within, atMs) === null ? yield* readBackwards(view, atMs) : within
  })

  return Effect.fnUntraced(function* (view: string, atMs: number) {
    const rows = yield* rowsAt(view, atMs)
    const versions = versionsIn(rows)
    if (versions.length === 0) return null
    const records = recordsOf(view, atMs, versions)
    if (records instanceof VersionDamaged) return yield* records
    return { records, change: parseCursor(lastChange(rows)?.value ?? "") }
  })
}

/** The cursor of the last change that was known at an instant. */
export const changeAt = (
  history: History,
  atMs: number,
): Effect.Effect<Cursor | null, HistoryFailed | HistoryUndecodable> =>
  Effect.map(history.query(LAST_CHANGES, KnownRow, { at: timeText(atMs) }), (rows) =>
    parseCursor(lastChange(rows)?.value ?? ""),
  )
