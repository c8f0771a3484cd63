import { type ChangeFilter, matches, type ReadyChange } from "./filter.ts"
import type { IsWanted, PacedReads } from "./reads.ts"
import { type ChangeWindow, placeIn } from "./window.ts"

/** Numbers that one page looks at, so that a filter without matches costs little. */
const LOOKED_MAX = 2_048
/** Bytes of one page, at most; a single change may exceed it. */
const PAGE_MAX_BYTES = 4 * 1024 * 1024

/** Changes that match behind a place, and the place that they reach. */
export interface ChangePage {
  readonly changes: ReadonlyArray<ReadyChange>
  readonly next: number
  /** The cursor of `next`, of the log that the page is of: the window may begin anew at any moment. */
  readonly cursor: string | null
  readonly isUpToDate: boolean
}

/** What a call for a page gets. */
export type PageOutcome =
  | ({ readonly _tag: "Page"; readonly source: "window" | "log" } & ChangePage)
  | { readonly _tag: "Gone"; readonly oldest: number }
  | { readonly _tag: "Unavailable" }
  /** The log has got another name since the place was found. */
  | { readonly _tag: "OtherLog" }

/** Collects the changes of a page. */
class PageBuilder {
  readonly changes: Array<ReadyChange> = []
  readonly #filter: ChangeFilter
  readonly #limit: number
  readonly #end: number
  next: number
  #bytes = 0
  #isFull = false

  constructor(filter: ChangeFilter, after: number, limit: number) {
    this.#filter = filter
    this.#limit = limit
    this.next = after
    this.#end = after + LOOKED_MAX
  }

  get isFull(): boolean {
    return this.#isFull || this.next >= this.#end
  }

  /** Looks at the changes that follow, which reach a number. */
  add(changes: Iterable<ReadyChange>, reached: number): void {
    const until = Math.min(reached, this.#end)
    for (const change of changes) {
      if (change.ordinal > until) break
      if (!matches(this.#filter, change)) continue
      const bytes = this.#bytes + change.json.length
      if (this.changes.length > 0 && bytes > PAGE_MAX_BYTES) {
        this.#isFull = true
        return
      }
      this.changes.push(change)
      this.#bytes = bytes
      this.next = change.ordinal
      if (this.changes.length === this.#limit) {
        this.#isFull = true
        return
      }
    }
    this.next = Math.max(this.next, until)
  }
}

/** The newest changes that match, of those that the window holds. */
export const newestPage = (window: ChangeWindow, filter: ChangeFilter, limit: number): ChangePage => {
  const changes: Array<ReadyChange> = []
  for (const change of window.newest()) {
    if (changes.length === limit) break
    if (matches(filter, change)) changes.push(change)
  }
  return { changes: changes.reverse(), next: window.reached, cursor: window.cursorOf(window.reached), isUpToDate: true }
}

/**
 * How long a page goes on reading the log, in milliseconds. It is then given as far as it is: a caller who waits no longer would
 * else get nothing, however often it asks.
 */
const READING_MAX_MS = 500

/**
 * The changes that match behind a number: of the window, and before it of the log. When it returns a page that is up to date,
 * nothing has followed yet. `next` may move without a match.
 */
export const pageBehind = async (
  window: ChangeWindow,
  reads: PacedReads,
  filter: ChangeFilter,
  {
    log,
    after,
    limit,
    isWanted,
  }: { readonly log: string | null; readonly after: number; readonly limit: number; readonly isWanted: IsWanted },
): Promise<PageOutcome> => {
  // A number is of one log: the window may begin anew, under another name, while the call waits.
  const isOther = () => log !== null && window.log !== log
  const page = new PageBuilder(filter, after, limit)
  let source: "window" | "log" = "window"
  const untilMs = reads.nowMs() + READING_MAX_MS
  while (!page.isFull && !window.holds(page.next) && (source === "window" || reads.nowMs() < untilMs)) {
    source = "log"
    const outcome = await reads.read(placeIn(log ?? window.log, page.next), isWanted)
    // What was read up to a hole is given: the next page is the one that says what is gone.
    if (outcome._tag === "Gone" && page.next > after) break
    if (outcome._tag !== "Portion") return outcome
    // The window begins behind the end of the log: it was filled from there.
    if (outcome.reached === page.next) return isOther() ? { _tag: "OtherLog" } : { _tag: "Unavailable" }
    page.add(outcome.changes, outcome.reached)
  }
  if (isOther()) return { _tag: "OtherLog" }
  if (!page.isFull && window.holds(page.next)) page.add(window.behind(page.next), window.reached)
  const { changes, next } = page
  return { _tag: "Page", source, changes, next, cursor: window.cursorOf(next), isUpToDate: next >= window.reached }
}

const SEPARATOR = Buffer.from(",")

/** The body of a page. */
export const pageBody = ({ changes, cursor, isUpToDate }: ChangePage): Buffer => {
  const parts: Array<Buffer> = [Buffer.from('{"changes":[')]
  changes.forEach(({ json }, at) => {
    if (at > 0) parts.push(SEPARATOR)
    parts.push(json)
  })
  parts.push(Buffer.from(`],"next":${JSON.stringify(cursor)},"up_to_date":${isUpToDate}}`))
  return Buffer.concat(parts)
}
