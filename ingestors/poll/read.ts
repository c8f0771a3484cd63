import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import { enable as enableCompilation } from "effect/schema/SchemaJITCompiler"
import type { Facts, Feed, ListPayload, Parameters } from "../../schemas/feed.ts"
import { type Document, Undecodable, UpstreamError } from "../document.ts"
import { parseBytes } from "../readers/formats.ts"
import { isAhead } from "../readers/instants.ts"
import { cleanText } from "../readers/text.ts"
import { runSteps, type Steps } from "./steps.ts"

// From the bytes of a document to the payload of a feed: decoded by the wire schema of the document, then read as a list or
// as one value, as the source declares.

/** The instance of a collection, and the time at which its poll began. */
export interface ReadContext {
  readonly parameters: Parameters
  readonly observedAtMs: number
}

/** A row of a list that cannot be read, with a reason that does not quote the upstream. */
export interface UnreadableRow {
  readonly problem: string
  readonly row: unknown
}

/** A normalised answer: the feed's payload, and the upstream's own time of its newest content. */
export interface Normalised<Payload> {
  readonly payload: Payload
  /** Milliseconds since the epoch; null if the upstream gives no time. */
  readonly contentAtMs: number | null
}

/** The result of reading collected documents: the outcome, and the unreadable rows that were left out. */
export interface Reading<Payload> {
  readonly outcome: Normalised<Payload> | UpstreamError | Undecodable
  readonly unreadable: ReadonlyArray<UnreadableRow>
}

/** The longest problem text, in code points. */
const PROBLEM_MAX_CHARACTERS = 1000

/** The failure of a document, with a cleaned and bounded problem text. */
export const undecodable = (document: string, problem: string): Undecodable =>
  new Undecodable({ document, problem: cleanText(problem, PROBLEM_MAX_CHARACTERS) })

// Compiling a schema costs more than most decodes, and schemas live as long as the process.
const decoders = new WeakMap<object, (value: unknown) => Result.Result<unknown, string>>()

/** The decoder of a schema, compiled once; its failures are bounded texts. Never throws, even if the schema does. */
export const decoderOf = <A>(schema: Schema.Codec<A, unknown>): ((value: unknown) => Result.Result<A, string>) => {
  const cached = decoders.get(schema)
  // The map holds the decoder of each schema under that schema.
  if (cached !== undefined) return cached as (value: unknown) => Result.Result<A, string>
  // Compiled decoders are five times as fast; lists of thousands of items are decoded every minute.
  enableCompilation(schema.ast)
  const decode = Schema.decodeUnknownResult(schema)
  const decoder = (value: unknown): Result.Result<A, string> => {
    try {
      return Result.mapError(decode(value), (error) => cleanText(error.message, PROBLEM_MAX_CHARACTERS))
    } catch (cause) {
      // A deeply nested value exhausts the stack of a recursive schema.
      return Result.fail(`the schema threw: ${cause instanceof Error ? cause.message : "unreadable"}`)
    }
  }
  decoders.set(schema, decoder)
  return decoder
}

/** `decodeDocument` as cooperative work. */
export function* decodeSteps<Input, Wire>(
  name: string,
  document: Document<Input, Wire>,
  bytes: Uint8Array,
): Steps<Result.Result<Wire, Undecodable>> {
  const parsed = parseBytes(document.format, bytes)
  yield
  return parsed.pipe(
    Result.flatMap(decoderOf(document.wire)),
    Result.mapError((problem) => undecodable(name, problem)),
  )
}

/**
 * Decodes the bytes of a document. Fails with `Undecodable` and the message of the parser or the schema, at most 1,000
 * code points. `name` is the document's name within its source. Never throws.
 */
export const decodeDocument = <Input, Wire>(
  name: string,
  document: Document<Input, Wire>,
  bytes: Uint8Array,
): Result.Result<Wire, Undecodable> => runSteps(decodeSteps(name, document, bytes))

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

const refused = (
  outcome: UpstreamError | Undecodable,
  unreadableRows: ReadonlyArray<UnreadableRow> = [],
): Reading<never> => ({ outcome, unreadable: unreadableRows })

/**
 * Reads a list row by row, so that an unreadable row does not affect the others. Keeps the first item of each key, then
 * sorts by the rule of the feed. A list of more items than its feed allows is refused, unless the feed is by definition the
 * first of them. Fails too if too many rows are unreadable, or if a list that must not be empty is.
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
    if (all.length > list.itemsMax && !list.keepsFirst) {
      const message = `the list has ${all.length} items, more than ${list.itemsMax}`
      return refused(new UpstreamError({ message }), unreadableRows)
    }
    const items = (list.order === null ? all : all.sort(list.order)).slice(0, list.itemsMax)
    const members = reader.facts === undefined ? {} : reader.facts(collected, read, context)
    if (members instanceof UpstreamError) return refused(members, unreadableRows)
    const facts = decodeFacts(members)
    if (Result.isFailure(facts)) throw new TypeError(facts.failure)
    // The list has no more than `itemsMax` items, and is not empty if it must not be.
    const payload = { items, facts: facts.success } as unknown as ListPayload<Item, Members, MayBeEmpty>
    return {
      outcome: { payload, contentAtMs: reader.contentAtMs(collected, read, context) },
      unreadable: unreadableRows,
    }
  }
}

/** Reads one value: its source normalises it, and it must match the feed's schema and not lie in the future. */
export const readValue = <Collected, Value>(
  feed: Feed<Value, Value>,
  normalise: (collected: Collected, context: ReadContext) => Normalised<Value> | UpstreamError,
): ((collected: Collected, context: ReadContext) => Steps<Reading<Value>>) =>
  function* (collected, context) {
    const normalised = normalise(collected, context)
    if (normalised instanceof UpstreamError) return refused(normalised)
    yield
    const value = decoderOf(feed.payload)(normalised.payload)
    if (Result.isFailure(value)) throw new TypeError(value.failure)
    if (isAhead(feed.happenedAt(value.success), context.observedAtMs))
      return refused(new Undecodable({ document: feed.name, problem: "the time of the value lies in the future" }))
    return { outcome: { ...normalised, payload: value.success }, unreadable: [] }
  }
