import { type Change, type Cursor, cursorText } from "../../schemas/change.ts"
import type { ChangePortion, NumberedChange } from "../../schemas/ports/changes.ts"
import { type ChangeFilter, matches, type ReadyChange } from "./filter.ts"

/** Dropped changes that stay in the list until it is cut. */
const CUT_EVERY = 1_024

/** The place of a number in a log; null where the log has no name yet. */
export const placeIn = (log: string | null, ordinal: number): Cursor | null => (log === null ? null : { log, ordinal })

/** How much a window holds, and what never. */
interface WindowBounds {
  readonly changesMax: number
  readonly bytesMax: number
  /** Whether an operator has taken a change out; of none unless given. */
  readonly isPurged?: (change: Change) => boolean
  /** Whether an operator has taken out what the item of a change was before; of none unless given. */
  readonly isPurgedBefore?: (change: Change) => boolean
  /** Whether an operator has taken out what the item of a change was until it was gone; of none unless given. */
  readonly isPurgedUntilGone?: (change: Change) => boolean
}

/** Called after the window has got further, or has begun anew. */
export type WindowListener = (change: "further" | "anew") => void

/**
 * The recent changes of the log, the same for all readers: those with the numbers in (`after`, `reached`]. The follower of
 * the log fills it; the oldest are dropped beyond its bounds.
 */
export class ChangeWindow {
  readonly #ready: (change: NumberedChange) => ReadyChange
  readonly #bounds: WindowBounds
  readonly #listeners = new Set<WindowListener>()
  readonly #filled = Promise.withResolvers<void>()
  #log: string | null = null
  #after = 0
  #reached = 0
  /** In the order of their numbers; those before `#first` are dropped. */
  #changes: Array<ReadyChange> = []
  #first = 0
  #bytes = 0
  #isFilled = false

  constructor(ready: (change: NumberedChange) => ReadyChange, bounds: WindowBounds) {
    this.#ready = ready
    this.#bounds = bounds
  }

  /** The name of the log; null while it holds no change. */
  get log(): string | null {
    return this.#log
  }

  get after(): number {
    return this.#after
  }

  get reached(): number {
    return this.#reached
  }

  /** The place behind the last number; null while it has no name. */
  get place(): Cursor | null {
    return placeIn(this.#log, this.#reached)
  }

  /** Whether the log was read to its end since the process began. */
  get isFilled(): boolean {
    return this.#isFilled
  }

  /** Resolves when the log was read to its end. */
  get filled(): Promise<void> {
    return this.#filled.promise
  }

  /** Says that the log was read to its end. */
  setFilled(): void {
    this.#isFilled = true
    this.#filled.resolve()
  }

  /** Calls a listener from now on. */
  listen(listener: WindowListener): void {
    this.#listeners.add(listener)
  }

  /** Begins anew behind a number of a log: what it held may not join what follows. */
  begin(log: string | null, after: number): void {
    const isOther = log !== this.#log && this.#log !== null
    this.#log = log
    this.#after = after
    this.#reached = after
    this.#changes = []
    this.#first = 0
    this.#bytes = 0
    if (isOther) this.#notify("anew")
  }

  /** Adds the portion that follows. */
  append({ changes, reached }: Pick<ChangePortion, "changes" | "reached">): void {
    for (const change of changes) {
      if (change.ordinal <= this.#reached) continue
      // It may have been read just before it was taken out.
      const left = this.#leftOf(change.change)
      if (left === null) continue
      const ready = this.#ready({ ordinal: change.ordinal, change: left })
      this.#changes.push(ready)
      this.#bytes += ready.frame.length
    }
    this.#reached = Math.max(this.#reached, reached)
    while (this.#changes.length - this.#first > this.#bounds.changesMax || this.#bytes > this.#bounds.bytesMax)
      this.#drop()
    if (this.#first >= CUT_EVERY) {
      this.#changes = this.#changes.slice(this.#first)
      this.#first = 0
    }
    this.#notify("further")
  }

  /** Drops what an operator has taken out since of the changes; those behind them follow as before. */
  dropPurged(): void {
    const { isPurged, isPurgedBefore, isPurgedUntilGone } = this.#bounds
    if (isPurged === undefined && isPurgedBefore === undefined && isPurgedUntilGone === undefined) return
    const left = this.#changes.slice(this.#first).flatMap((ready) => {
      const change: Change = JSON.parse(ready.json.toString())
      const kept = this.#leftOf(change)
      if (kept === null) return []
      return [kept === change ? ready : this.#ready({ ordinal: ready.ordinal, change: kept })]
    })
    this.#changes = left
    this.#first = 0
    this.#bytes = left.reduce((sum, { frame }) => sum + frame.length, 0)
    this.#notify("further")
  }

  /** Whether everything behind a number is here. */
  holds(ordinal: number): boolean {
    return ordinal >= this.#after
  }

  /** The changes behind a number in their order, of those that it holds. */
  *behind(ordinal: number): Generator<ReadyChange> {
    for (let at = this.#above(ordinal); at < this.#changes.length; at++) yield this.#changes[at] as ReadyChange
  }

  /** Whether any change behind a number matches. It allocates nothing: most streams get nothing of most changes. */
  hasBehind(ordinal: number, filter: ChangeFilter): boolean {
    for (let at = this.#changes.length - 1; at >= this.#first; at--) {
      const change = this.#changes[at] as ReadyChange
      if (change.ordinal <= ordinal) return false
      if (matches(filter, change)) return true
    }
    return false
  }

  /** The changes that it holds, the newest first. */
  *newest(): Generator<ReadyChange> {
    for (let at = this.#changes.length - 1; at >= this.#first; at--) yield this.#changes[at] as ReadyChange
  }

  /** The cursor behind a number; null while the log has no name. */
  cursorOf(ordinal: number): string | null {
    const place = placeIn(this.#log, ordinal)
    return place === null ? null : cursorText(place)
  }

  /** What operators have left of a change: the change itself where they have taken nothing out, null where nothing is left. */
  #leftOf(change: Change): Change | null {
    const { isPurged, isPurgedBefore, isPurgedUntilGone } = this.#bounds
    if (isPurged?.(change) === true) return null
    // The item of one that is gone is of before.
    if (change.type === "gone") return isPurgedUntilGone?.(change) === true ? null : change
    if (change.before === undefined || isPurgedBefore?.(change) !== true) return change
    const { before: _, ...left } = change
    return left
  }

  #drop(): void {
    const dropped = this.#changes[this.#first]
    if (dropped === undefined) return
    this.#first += 1
    this.#bytes -= dropped.frame.length
    this.#after = dropped.ordinal
  }

  /** The place of the first change above a number. */
  #above(ordinal: number): number {
    let low = this.#first
    let high = this.#changes.length
    while (low < high) {
      const middle = (low + high) >>> 1
      if ((this.#changes[middle]?.ordinal ?? 0) <= ordinal) low = middle + 1
      else high = middle
    }
    return low
  }

  #notify(change: "further" | "anew"): void {
    for (const listener of this.#listeners) listener(change)
  }
}
