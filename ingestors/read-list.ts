import * as Result from "effect/Result"
import type * as Schema from "effect/Schema"
import type { Facts, Feed, ListPayload } from "../schemas/feed.ts"
import { decoderOf } from "./decode.ts"
import { Undecodable, UpstreamError } from "./document.ts"
import { isAhead } from "./readers/instants.ts"
import type { ReadContext, Reading, UnreadableRow } from "./reading.ts"
import type { Steps } from "./steps.ts"

/** Marks a row outside the scope of the feed, such as a job advertisement among stories. It is left out, and not counted. */
export const notOurs = Symbol("notOurs")

/** A row that cannot be read. It is left out and counted; too many of them make the answer a failure. */
export class Unreadable {
  readonly problem: string
  constructor(problem: string) {
    this.problem = problem
  }
}

/** Marks a row as unreadable. The problem must not quote the upstream. */
export const unreadable = (problem: string): Unreadable => new Unreadable(problem)

/** The origin of rows: undecoded parts of a document, or values joined from several decoded documents. */
type Rows<Collected, Row> =
  | {
      /** Undecoded parts of a document. `row` decodes each; one that does not decode is unreadable. */
      readonly rows: (collected: Collected, context: ReadContext) => ReadonlyArray<unknown> | UpstreamError
      readonly row: Schema.Codec<Row, unknown>
    }
  | {
      /** Rows that are already decoded with their documents. */
      readonly candidates: (collected: Collected, context: ReadContext) => ReadonlyArray<Row> | UpstreamError
    }

/** A readable row, with its item. */
export interface ReadRow<Row, Item> {
  readonly row: Row
  readonly item: Item
}

/** How a source reads a list. All functions are pure; `read` holds the readable rows in the upstream's order. */
export type ListReader<Collected, Row, Item, Members extends Facts> = Rows<Collected, Row> & {
  readonly toItem: (row: Row, context: ReadContext) => Item | typeof notOurs | Unreadable
  /** The upstream's own time of its newest content, in milliseconds since the epoch; null if it gives none. */
  readonly contentAtMs: (
    collected: Collected,
    read: ReadonlyArray<ReadRow<Row, Item>>,
    context: ReadContext,
  ) => number | null
} & (keyof Members extends never
    ? { readonly facts?: never }
    : {
        readonly facts: (
          collected: Collected,
          read: ReadonlyArray<ReadRow<Row, Item>>,
          context: ReadContext,
        ) => Members | UpstreamError
      })

/** Rows read between two points at which other work may run. */
const ROWS_EACH_STEP = 500

const refused = (outcome: UpstreamError | Undecodable, unreadableRows: ReadonlyArray<UnreadableRow> = []) => ({
  outcome,
  unreadable: unreadableRows,
})

/**
 * Reads a list row by row, so that an unreadable row does not affect the others. Keeps the first item of each key, then
 * sorts and cuts by the rules of the feed. Fails if too many rows are unreadable, or if a list that must not be empty is.
 */
export const readList = <Collected, Row, Item, Members extends Facts, MayBeEmpty extends boolean>(
  feed: Feed<ListPayload<Item, Members, MayBeEmpty>, Item>,
  reader: ListReader<Collected, Row, Item, Members>,
): ((collected: Collected, context: ReadContext) => Steps<Reading<ListPayload<Item, Members, MayBeEmpty>>>) => {
  const { list } = feed
  if (list === null) throw new TypeError(`${feed.name} is no list`)
  const decodeItem = decoderOf(list.item as Schema.Codec<Item, unknown>)
  const decodeFacts = decoderOf(list.facts as Schema.Codec<Members, unknown>)
  const decodeRow =
    "row" in reader ? decoderOf(reader.row) : (row: unknown): Result.Result<Row, string> => Result.succeed(row as Row)

  const readRow = (row: unknown, context: ReadContext): ReadRow<Row, Item> | typeof notOurs | Unreadable => {
    const decoded = decodeRow(row)
    if (Result.isFailure(decoded)) return unreadable(decoded.failure)
    const made = reader.toItem(decoded.success, context)
    if (made === notOurs) return notOurs
    if (made instanceof Unreadable) return made
    const item = decodeItem(made)
    if (Result.isFailure(item)) return unreadable(item.failure)
    if (feed.key(item.success) === "") return unreadable("it has no key")
    return isAhead(feed.happenedAt(item.success), context.observedAtMs)
      ? unreadable("its time lies in the future")
      : { row: decoded.success, item: item.success }
  }

  return function* (collected, context) {
    const rows = "row" in reader ? reader.rows(collected, context) : reader.candidates(collected, context)
    if (rows instanceof UpstreamError) return refused(rows)
    const byKey = new Map<string, Item>()
    const unreadableRows: Array<UnreadableRow> = []
    const read: Array<ReadRow<Row, Item>> = []
    for (const [index, row] of rows.entries()) {
      if (index % ROWS_EACH_STEP === ROWS_EACH_STEP - 1) yield
      const one = readRow(row, context)
      if (one === notOurs) continue
      if (one instanceof Unreadable) {
        unreadableRows.push({ problem: one.problem, row })
        continue
      }
      read.push(one)
      const key = feed.key(one.item)
      if (!byKey.has(key)) byKey.set(key, one.item)
    }
    if (unreadableRows.length > 0 && unreadableRows.length >= rows.length * list.unreadableShare) {
      const problem = `${unreadableRows.length} of ${rows.length} rows cannot be read`
      return refused(new Undecodable({ document: feed.name, problem }), unreadableRows)
    }
    if (byKey.size === 0 && !list.mayBeEmpty)
      return refused(new UpstreamError({ message: "a list that must not be empty has no items" }), unreadableRows)
    yield
    const all = [...byKey.values()]
    const items = (list.order === null ? all : all.sort(list.order)).slice(0, list.itemsMax)
    const members = reader.facts === undefined ? {} : reader.facts(collected, read, context)
    if (members instanceof UpstreamError) return refused(members, unreadableRows)
    const facts = decodeFacts(members)
    if (Result.isFailure(facts)) throw new TypeError(facts.failure)
    // The list was cut to `itemsMax` above, and is not empty if it must not be.
    const payload = { items, facts: facts.success } as unknown as ListPayload<Item, Members, MayBeEmpty>
    return {
      outcome: { payload, contentAtMs: reader.contentAtMs(collected, read, context) },
      unreadable: unreadableRows,
    }
  }
}
