import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { type Change, type ChangeType, changeTypes } from "../../schemas/change.ts"
import { instant } from "../../schemas/event.ts"
import { itemAppeared, itemChanged, itemGone } from "../../schemas/events/deltas.ts"
import { type Feed, instanceKey, parseInstanceKey } from "../../schemas/feed.ts"
import type { Json } from "../../schemas/json.ts"
import type { History, QueryParameters } from "../../schemas/ports/history.ts"
import type { HistoryOrder, HistoryPlace, HistoryRange, ItemHistory } from "../../schemas/ports/item-history.ts"
import { makeStating, type StatingRules } from "./stated.ts"

/** Rows of one query, and rows that one page looks at, so that changes which may not be shown cost little. */
const ROWS_MAX = 512
const LOOKED_MAX = 2_048
/** Characters of the items of one page; the last one may exceed it. */
const PAGE_MAX_CHARACTERS = 4 * 1024 * 1024

/**
 * A page is read in the order of the key, granule by granule. The bounds are far above what a page takes, and end what would
 * read the table.
 */
const SETTINGS = [
  "optimize_read_in_order = 1",
  "max_block_size = 1024",
  "max_threads = 2",
  "max_execution_time = 8",
  "max_bytes_to_read = 2000000000",
  "max_memory_usage = 150000000",
].join(", ")

const COLUMNS = `toUnixTimestamp64Milli(event_time) AS time_ms, log, ordinal, instance, type, key, provider, known_at, item,
  before, added, simulated`

const Row = Schema.Struct({
  time_ms: Schema.Int,
  log: Schema.NonEmptyString,
  ordinal: Schema.Natural,
  instance: Schema.NonEmptyString,
  type: Schema.Literals(changeTypes),
  key: Schema.String,
  provider: Schema.String,
  known_at: Schema.String,
  item: Schema.String,
  before: Schema.String,
  added: Schema.Array(Schema.String),
  simulated: Schema.Boolean,
})
type Row = typeof Row.Type

const First = Schema.Struct({ known_ms: Schema.Int })

const eventTypes: Readonly<Record<ChangeType, string>> = {
  appeared: itemAppeared.type,
  changed: itemChanged.type,
  gone: itemGone.type,
}

const TIME = "DateTime64(3, 'UTC')"
const timeText = (ms: number): string => instant(ms).slice(0, -1)

const comparisons = { asc: [">=", ">"], desc: ["<=", "<"] } as const satisfies Readonly<Record<HistoryOrder, unknown>>

/** The statement of a range, from a place on. It has no `LIMIT BY`, which would read the whole range. */
const statementOf = ({ fromMs, toMs, order }: HistoryRange, behind: HistoryPlace | null): string => {
  const [atOrBehind, beyond] = comparisons[order]
  const conditions = [
    "feed = {feed:String}",
    "instance IN {instances:Array(String)}",
    ...(fromMs === null ? [] : [`event_time >= {from:${TIME}}`]),
    ...(toMs === null ? [] : [`event_time < {to:${TIME}}`]),
    ...(behind === null
      ? []
      : [
          `event_time ${atOrBehind} {time:${TIME}}`,
          `(event_time, log, ordinal) ${beyond} ({time:${TIME}}, {log:String}, {ordinal:UInt64})`,
        ]),
  ]
  const by = ["feed", "event_time", "log", "ordinal"].map((column) => `${column} ${order}`)
  return `SELECT ${COLUMNS} FROM item_changes WHERE ${conditions.join(" AND ")}
    ORDER BY ${by.join(", ")} LIMIT {max:UInt32} SETTINGS ${SETTINGS}`
}

const parametersOf = (
  { feed, fromMs, toMs }: HistoryRange,
  behind: HistoryPlace | null,
  instances: ReadonlyArray<string>,
): QueryParameters => ({
  feed,
  instances,
  ...(fromMs === null ? {} : { from: timeText(fromMs) }),
  ...(toMs === null ? {} : { to: timeText(toMs) }),
  ...(behind === null ? {} : { time: timeText(behind.timeMs), log: behind.log, ordinal: behind.ordinal }),
})

const jsonIn = (text: string): Json => JSON.parse(text)

/** The data of the event that a row was made of. */
const dataOf = (feed: string, row: Row) => ({
  feed,
  parameters: parseInstanceKey(row.instance).parameters,
  provider: row.provider,
  key: row.key,
  item: jsonIn(row.item),
  observedAt: row.known_at,
  ...(row.before === "" ? {} : { before: jsonIn(row.before), added: row.added }),
  ...(row.simulated ? { simulated: true } : {}),
})

/** The changes of items by event time, from table `item_changes`. */
export const itemHistory = ({ history, ...rules }: StatingRules & { readonly history: History }): ItemHistory => {
  const state = makeStating(rules)
  const feeds = new Map<string, Feed>(
    rules.views.flatMap(({ changes }) => changes.map(({ feed }) => [feed.name, feed] as const)),
  )
  const stated = (feed: string, row: Row): Change | null =>
    state({ type: eventTypes[row.type], data: dataOf(feed, row) }, row)

  return {
    // Of the parts alone, as the partitions are of this column.
    firstMs: Effect.map(
      history.query(
        "SELECT toUnixTimestamp64Milli(min(known_at)) AS known_ms FROM item_changes HAVING count() > 0",
        First,
      ),
      ([row]) => row?.known_ms ?? null,
    ),
    page: Effect.fnUntraced(function* (range, from, max) {
      const feed = feeds.get(range.feed)
      if (feed === undefined) return { changes: [], next: null }
      // What a request alone has brought is never shown, and may be most of a feed.
      const instances = feed.instances.map((parameters) => instanceKey(feed.name, parameters))
      const changes: Array<Change> = []
      let [behind, looked, characters]: [HistoryPlace | null, number, number] = [from, 0, 0]
      for (;;) {
        // One more than the page takes shows whether another follows. Where many are not shown, few would be read at a time.
        const rowsMax = looked === 0 ? Math.min(ROWS_MAX, max + 1) : ROWS_MAX
        const rows: ReadonlyArray<Row> = yield* history.query(statementOf(range, behind), Row, {
          ...parametersOf(range, behind, instances),
          max: rowsMax,
        })
        for (const row of rows) {
          // A duplicated row follows the first one.
          if (row.ordinal === behind?.ordinal && row.log === behind.log) continue
          if (changes.length === max || looked === LOOKED_MAX || characters > PAGE_MAX_CHARACTERS)
            return { changes, next: behind }
          looked += 1
          behind = { timeMs: row.time_ms, log: row.log, ordinal: row.ordinal }
          const change = stated(range.feed, row)
          if (change === null) continue
          changes.push(change)
          characters += row.item.length + row.before.length
        }
        if (rows.length < rowsMax) return { changes, next: null }
      }
    }),
  }
}
