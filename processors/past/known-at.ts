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

/** More than any view with its patches: the rows within a reach may be many more than are needed. */
const RESULT_MAX_ROWS = 1_000
const RESULT_MAX_BYTES = 16 * 1024 * 1024

const WITHIN_REACH = `
  SELECT ${COLUMNS} FROM view_versions
  WHERE known_at <= {at:DateTime64(3, 'UTC')}
    AND ((part = 'body' AND view = {view:String} AND known_at >= {body:DateTime64(3, 'UTC')})
      OR (part = 'freshness' AND view = {view:String} AND known_at >= {freshness:DateTime64(3, 'UTC')})
      OR (part IN ('change', 'begin') AND value != '' AND known_at >= {change:DateTime64(3, 'UTC')}))
  SETTINGS max_result_rows = ${RESULT_MAX_ROWS}, max_result_bytes = ${RESULT_MAX_BYTES}`

const PARTS = ["body", "freshness", "change"] as const

/** How long before an instant the rows began that make up what was known then, in milliseconds; null where they are missing. */
type Reach = Readonly<Record<(typeof PARTS)[number], number | null>>

/** Of a view that was not read yet. */
const FIRST_REACH: Record<keyof Reach, number> = { body: 15 * 60_000, freshness: 15 * 60_000, change: 60_000 }
/** What another instant may need beyond what one has needed. */
const REACH_SLACK = 1.25
/** However little one has needed. */
const REACH_MIN_MS = 10_000
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

/** How far these rows reach back from an instant to the begins of each part. */
const reachOf = (rows: ReadonlyArray<KnownRow>, atMs: number): Reach => {
  const begin = (part: VersionRow["part"]) => {
    const begins = rows.filter((row) => row.part === part && row.form !== "patch").map(({ known_ms }) => known_ms)
    return begins.length === 0 ? null : atMs - Math.max(...begins)
  }
  const change = lastChange(rows)
  return {
    body: begin("body"),
    freshness: begin("freshness"),
    change: change === undefined ? null : atMs - change.known_ms,
  }
}

/** What a view was at an instant, from table `view_versions`. */
export const makeKnownAt = (history: History): Past["knownAt"] => {
  const reaches = new LRUCache<string, Reach>({ max: REACHES_MAX })

  const readWithin = (view: string, atMs: number, reach: Reach) => {
    const from = (part: keyof Reach) =>
      timeText(atMs - Math.max(REACH_MIN_MS, Math.ceil((reach[part] ?? FIRST_REACH[part]) * REACH_SLACK)))
    const parameters = {
      view,
      at: timeText(atMs),
      body: from("body"),
      freshness: from("freshness"),
      change: from("change"),
    }
    // Refused where the rows are too many: how far to reach is learnt anew.
    return Effect.catchTag(history.query(WITHIN_REACH, KnownRow, parameters), "HistoryRefused", () => {
      reaches.delete(view)
      return Effect.succeed([])
    })
  }

  const rowsAt = Effect.fnUntraced(function* (view: string, atMs: number) {
    const within = yield* readWithin(view, atMs, reaches.get(view) ?? FIRST_REACH)
    const seen = reachOf(within, atMs)
    // Queries at the same time take half as long as their union.
    const before = yield* Effect.forEach(
      PARTS.filter((part) => seen[part] === null),
      (part) =>
        history.query(part === "change" ? LAST_CHANGES : versionsOf(part), KnownRow, { view, at: timeText(atMs) }),
      { concurrency: "unbounded" },
    )
    const rows = [...within, ...before.flat()]
    const needed = reachOf(rows, atMs)
    const known = reaches.get(view)
    const longer = (part: keyof Reach) =>
      needed[part] === null ? (known?.[part] ?? null) : Math.max(needed[part], known?.[part] ?? 0)
    reaches.set(view, { body: longer("body"), freshness: longer("freshness"), change: longer("change") })
    return rows
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
