import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import { itemAppeared, itemChanged, itemGone } from "../../schemas/events/deltas.ts"
import { feedObserved, feedPatched } from "../../schemas/events/observations.ts"
import { eventPurged } from "../../schemas/events/purges.ts"
import { documentQuarantined } from "../../schemas/events/quarantine.ts"
import { viewsChanged } from "../../schemas/events/versions.ts"
import { deltaPublished } from "../../schemas/events/world-deltas.ts"
import type { History, QueryParameters } from "../../schemas/ports/history.ts"
import { eventReader, feeds } from "../../schemas/registry.ts"
import type { Topic } from "../../schemas/topics.ts"
import { beforeSpan, feedOfDelta, type ItemPurge, makeRedaction, type Shown, type Span } from "../purges/item-purge.ts"
import type { Table } from "../table.ts"
import { ARCHIVE, archivedBytes } from "../tables/events/table.ts"
import { ARCHIVED_COLUMNS, ArchivedRow } from "./slices.ts"

// The statements that remove from ClickHouse what `purges/item-purge.ts` takes out of events: the two say the same of a row and of
// the event behind it, which `rebuild --verify` compares.

/** A change of rows of one table: a part of `ALTER TABLE`, and which rows it is about. */
export interface Removal {
  readonly table: string
  readonly change: string
  readonly condition: string
  readonly parameters: QueryParameters
}

const DAY_MS = 86_400_000

const at = (ms: number): string => `fromUnixTimestamp64Milli(${ms}, 'UTC')`
const during = (column: string, { fromMs, toMs }: Span): string =>
  `${column} >= ${at(fromMs)}${Number.isFinite(toMs) ? ` AND ${column} < ${at(toMs)}` : ""}`
const oneOf = (...types: ReadonlyArray<{ readonly type: string }>): string =>
  `type IN (${types.map(({ type }) => `'${type}'`).join(", ")})`

/** Whether an expression is the key of the item that is meant. */
const isKey = ({ key }: ItemPurge, expression: string): string =>
  key === null ? "true" : `lower(hex(SHA256(concat({purge:String}, '\\n', ${expression})))) = {digest:String}`

const parametersOf = ({ id, feed, key }: ItemPurge, paths: Iterable<string> = []): QueryParameters => ({
  purge: id,
  feed,
  digest: key ?? "",
  paths: [...paths],
})

/** The numbered changes of items, by feed and key. */
export const changesAt = {
  table: "item_changes",
  condition: (purge: ItemPurge, span: Span = purge): string =>
    `feed = {feed:String} AND ${during("known_at", span)} AND ${isKey(purge, "key")}`,
} as const

/** Puts an `event.purged` in the place of events of the archive. */
const TOMBSTONE = `UPDATE type = '${eventPurged.type}', subject = {feed:String}, v = ${eventPurged.version},
  data = concat('{"was":"', type, '","feed":"', {feed:String}, '"}')`

/** Takes out of a change in the archive what its item was before. */
const WITHOUT_BEFORE = `UPDATE data = concat('{', arrayStringConcat(arrayMap(one -> concat(toJSONString(one.1), ':', one.2),
  arrayFilter(one -> one.1 NOT IN ('before', 'added'), JSONExtractKeysAndValuesRaw(data))), ','), '}')`

const inArchive = (purge: ItemPurge, topic: Topic, condition: string, change: string = TOMBSTONE): Removal => ({
  table: ARCHIVE,
  change,
  condition: `topic = '${topic}' AND ${condition}`,
  parameters: parametersOf(purge),
})

const OF_FEED = "JSONExtractString(data, 'feed') = {feed:String}"
/** An id is a text or a number, by the type. */
const DELTA_ID = `if(JSONType(data, 'data', 'id') = 'String', JSONExtractString(data, 'data', 'id'), JSONExtractRaw(data, 'data', 'id'))`

/** The time of a change is that of the observation, or a little later. */
const nearly = ({ fromMs, toMs }: Span): Span => ({ fromMs: Math.max(0, fromMs - DAY_MS), toMs: toMs + DAY_MS })

const changesInArchive = (purge: ItemPurge): ReadonlyArray<Removal> => {
  const observedAt = "parseDateTime64BestEffortOrNull(JSONExtractString(data, 'observedAt'), 3, 'UTC')"
  const observedIn = (span: Span) =>
    `${during("time", nearly(span))} AND ${OF_FEED} AND ${during(observedAt, span)}
     AND ${isKey(purge, "JSONExtractString(data, 'key')")}`
  const items = [
    inArchive(purge, "deltas", `${oneOf(itemAppeared, itemChanged, itemGone)} AND ${observedIn(purge)}`),
    inArchive(
      purge,
      "deltas",
      `${oneOf(itemChanged)} AND ${observedIn(beforeSpan(purge))} AND (JSONHas(data, 'before') OR JSONHas(data, 'added'))`,
      WITHOUT_BEFORE,
    ),
  ]
  const types = Object.entries(feedOfDelta).flatMap(([type, feed]) => (feed === purge.feed ? [`'${type}'`] : []))
  if (types.length === 0) return items
  const news = inArchive(
    purge,
    "deltas",
    `${oneOf(deltaPublished)} AND ${during("time", purge)} AND JSONExtractString(data, 'type') IN (${types.join(", ")})
     AND ${isKey(purge, DELTA_ID)}`,
  )
  return [...items, news]
}

const OBSERVATIONS = `${oneOf(feedObserved, feedPatched)} AND (subject = {feed:String} OR startsWith(subject, concat({feed:String}, '?')))`
const PAGE_ROWS = 64
/** Offsets of one statement. */
const OFFSETS_MAX = 20_000

/** The events of the archive that meet a condition and of which the rule of a purge leaves less, with what it leaves. */
const lessened = Effect.fnUntraced(function* (history: History, purge: ItemPurge, condition: string) {
  const redact = makeRedaction([purge], feeds)
  const found: Array<{ readonly offset: number; readonly left: ReturnType<typeof redact> }> = []
  for (let from = 0; ; ) {
    const rows: ReadonlyArray<typeof ArchivedRow.Type> = yield* history.query(
      `SELECT ${ARCHIVED_COLUMNS} FROM ${ARCHIVE} WHERE ${condition} AND log_offset >= ${from}
       ORDER BY topic, log_offset LIMIT 1 BY log_offset LIMIT ${PAGE_ROWS}`,
      ArchivedRow,
      parametersOf(purge),
    )
    for (const row of rows) {
      const event = eventReader.readEvent(archivedBytes(row))
      if (Result.isFailure(event)) continue
      const left = redact(event.success)
      if (left !== event.success) found.push({ offset: row.log_offset, left })
    }
    const last = rows.at(-1)
    if (last === undefined || rows.length < PAGE_ROWS) return found
    from = last.log_offset + 1
  }
})

const atOffsets = (
  purge: ItemPurge,
  topic: Topic,
  places: ReadonlyArray<{ readonly offset: number }>,
): ReadonlyArray<Removal> =>
  Array.from({ length: Math.ceil(places.length / OFFSETS_MAX) }, (_, index) => {
    const some = places.slice(index * OFFSETS_MAX, (index + 1) * OFFSETS_MAX)
    return inArchive(purge, topic, `log_offset IN (${some.map(({ offset }) => offset).join(", ")})`)
  })

/**
 * What is taken out of events whose JSON ClickHouse does not read, where the other statements find nothing: one integer of more than 64
 * bits is enough, which a number of an item may be.
 */
const unreadInArchive = Effect.fnUntraced(function* (history: History, purge: ItemPurge, topic: Topic, span: Span) {
  const unread = `topic = '${topic}' AND type != '' AND ${during("time", span)} AND NOT isValidJSON(data)`
  const found = yield* lessened(history, purge, unread)
  const isReplaced = ({ left }: (typeof found)[number]) => left.type === eventPurged.type
  return [
    ...atOffsets(purge, topic, found.filter(isReplaced)),
    ...found
      .filter((one) => !isReplaced(one))
      .map(({ offset, left }): Removal => {
        const one = inArchive(purge, topic, `log_offset = ${offset}`, "UPDATE data = {left:String}")
        return { ...one, parameters: { ...one.parameters, left: JSON.stringify(left.data) } }
      }),
  ]
})

const pollsInArchive = Effect.fnUntraced(function* (history: History, purge: ItemPurge) {
  const polls = `${OBSERVATIONS} AND ${during("time", purge)}`
  if (purge.key === null)
    return [
      inArchive(purge, "observations", `${polls} AND ${OF_FEED}`),
      ...(yield* unreadInArchive(history, purge, "observations", purge)),
    ]
  // Which items a payload holds is what a function of the feed makes of it.
  return atOffsets(purge, "observations", yield* lessened(history, purge, `topic = 'observations' AND ${polls}`))
})

/** Whether a view is one of the endpoints that draw on the feed, by its key. */
const drawsOnFeed = (view: string): string => `has({paths:Array(String)}, splitByChar('?', ${view})[1])`

/** The versions of an event that stay. Its data ends with them. */
const VERSIONS_LEFT = `arrayFilter(one -> NOT (JSONExtractString(one, 'part') = 'body'
    AND ${drawsOnFeed("JSONExtractString(one, 'view')")}), JSONExtractArrayRaw(data, 'versions'))`
const VERSIONS_MEMBER = '"versions":['

const versionsInArchive = (purge: ItemPurge): ReadonlyArray<Removal> =>
  purge.shown.map(
    (span): Removal => ({
      table: ARCHIVE,
      change: `UPDATE data = concat(substring(data, 1, position(data, '${VERSIONS_MEMBER}') + ${VERSIONS_MEMBER.length - 1}),
      arrayStringConcat(${VERSIONS_LEFT}, ','), ']}')`,
      condition: `topic = 'versions' AND ${oneOf(viewsChanged)} AND ${during("time", span)}
      AND length(${VERSIONS_LEFT}) < JSONLength(data, 'versions')`,
      parameters: parametersOf(purge, span.paths),
    }),
  )

const bodiesOf = (span: Span): string => `part = 'body' AND ${during("known_at", span)} AND ${drawsOnFeed("view")}`

const View = Schema.Struct({ view: Schema.String })

/** The views whose body became another one in a span, of those that could show what a purge is about. */
export const viewsShowing = (history: History, purge: ItemPurge, span: Shown) =>
  Effect.map(
    history.query(
      `SELECT DISTINCT view FROM view_versions WHERE ${bodiesOf(span)} ORDER BY view`,
      View,
      parametersOf(purge, span.paths),
    ),
    (rows) => rows.map(({ view }) => view),
  )

/** What is taken out of a table that events of `deltas` fill: rows, and what items were before later changes. */
const rowsOfChanges = (table: Table, purge: ItemPurge, staged: ReadonlySet<string>): ReadonlyArray<Removal> => {
  const { feeds: held } = table.holds
  if (held.length > 0 && !held.includes(purge.feed)) return []
  const own = changesAt.condition(purge)
  const purged = `log_offset IN (SELECT log_offset FROM ${ARCHIVE} WHERE topic = 'deltas' AND type = '${eventPurged.type}')`
  // A table may hold more than the archive, which is cut by another setting.
  const numbered = staged.has(changesAt.table)
    ? ` OR log_offset IN (SELECT log_offset FROM ${changesAt.table} WHERE ${own})`
    : ""
  const parameters = parametersOf(purge)
  if (table.name !== changesAt.table)
    return [{ table: table.name, change: "DELETE", condition: `(${purged}${numbered})`, parameters }]
  const later = `${changesAt.condition(purge, beforeSpan(purge))} AND (before != '' OR notEmpty(added))`
  return [
    { table: table.name, change: "DELETE", condition: `(${purged} OR (${own}))`, parameters },
    { table: table.name, change: "UPDATE before = '', added = []", condition: later, parameters },
  ]
}

/** What removes a purge from one target: of a topic of the archive where there is no `table`. */
export const removalsOf = Effect.fnUntraced(function* (given: {
  readonly history: History
  readonly topic: Topic
  readonly table: Table | undefined
  readonly purge: ItemPurge
  /** The tables that this history has. */
  readonly staged: ReadonlySet<string>
}) {
  const { history, topic, table, purge, staged } = given
  if (topic === "deltas" && table !== undefined) return rowsOfChanges(table, purge, staged)
  if (topic === "deltas") {
    const span = nearly({ fromMs: purge.fromMs, toMs: beforeSpan(purge).toMs })
    return [...changesInArchive(purge), ...(yield* unreadInArchive(history, purge, topic, span))]
  }
  if (topic === "versions")
    return table === undefined
      ? versionsInArchive(purge)
      : purge.shown.map(
          (span): Removal => ({
            table: table.name,
            change: "DELETE",
            condition: bodiesOf(span),
            parameters: parametersOf(purge, span.paths),
          }),
        )
  if (table !== undefined) return []
  if (topic === "observations") return yield* pollsInArchive(history, purge)
  if (topic === "quarantine")
    return [inArchive(purge, "quarantine", `${oneOf(documentQuarantined)} AND ${during("time", purge)} AND ${OF_FEED}`)]
  return []
})
