import { type Cursor, cursorText, parseCursor, sequenceOf } from "../../../schemas/change.ts"
import type { LogRecord } from "../../../schemas/ports/event-log.ts"

/** What a reader asks for. */
export interface Wanted {
  readonly magnitudeMin: number | null
  readonly type: string | null
}

/** A change as it was committed. */
interface Committed {
  readonly ordinal: number
  readonly type: string
  /** The larger one of the item and of what it was before. */
  readonly magnitude: number
}

/** Something that must not happen has happened. */
export class Violation extends Error {
  override readonly name = "Violation"
}

const decoder = new TextDecoder()

/** Every change that was ever committed: what each reader gets is compared with it. */
export class Truth {
  readonly #changes = new Map<string, Array<Committed>>()
  #last: Cursor | null = null
  /** Whether the log has lost changes since the last commit, which must give it another name. */
  hasLostTail = false

  get last(): Cursor | null {
    return this.#last
  }

  /** Takes the changes of a commit: each has the number behind the one before. */
  commit(records: ReadonlyArray<LogRecord>): void {
    for (const { value } of records) {
      const text = decoder.decode(value ?? new Uint8Array())
      const cursor = sequenceOf(text)
      if (cursor === null) throw new Violation("a change was committed without a number")
      const { data, type } = JSON.parse(text)
      const before = this.#last
      const isNamedAnew = before !== null && cursor.log !== before.log
      if (isNamedAnew && !this.hasLostTail)
        throw new Violation(`${cursorText(cursor)} has another name than ${cursorText(before)}`)
      if (!isNamedAnew && this.hasLostTail)
        throw new Violation(`${cursorText(cursor)} follows lost changes under their name`)
      if (cursor.ordinal !== (isNamedAnew ? 0 : (before?.ordinal ?? 0)) + 1)
        throw new Violation(`${cursorText(cursor)} does not follow ${before === null ? "nothing" : cursorText(before)}`)
      this.hasLostTail = false
      this.#last = cursor
      const magnitude = Math.max(data.item.magnitude, data.before?.magnitude ?? 0)
      const changes = this.#changes.get(cursor.log) ?? []
      changes.push({ ordinal: cursor.ordinal, type: type.replace("item.", ""), magnitude })
      this.#changes.set(cursor.log, changes)
    }
  }

  /** The first number behind one, up to `until`, of a change that a reader wants; null without one. */
  nextWanted(log: string, after: number, wanted: Wanted, until = Number.POSITIVE_INFINITY): number | null {
    const found = (this.#changes.get(log) ?? []).find(
      ({ ordinal, type, magnitude }) =>
        ordinal > after &&
        ordinal <= until &&
        (wanted.type === null || wanted.type === type) &&
        (wanted.magnitudeMin === null || magnitude >= wanted.magnitudeMin),
    )
    return found?.ordinal ?? null
  }
}

/** Where a reader is, by what it got: it must get every change that it wants, once, in order. */
export class Place {
  readonly #truth: Truth
  readonly #wanted: Wanted
  log: string
  at: number

  constructor(truth: Truth, wanted: Wanted, cursor: Cursor) {
    this.#truth = truth
    this.#wanted = wanted
    this.log = cursor.log
    this.at = cursor.ordinal
  }

  get cursor(): string {
    return cursorText({ log: this.log, ordinal: this.at })
  }

  /** A change came. */
  receive(cursor: string): void {
    const ordinal = this.#ordinalOf(cursor)
    const due = this.#truth.nextWanted(this.log, this.at, this.#wanted)
    if (due !== ordinal) throw new Violation(`behind ${this.cursor} came ${cursor}, due was ${due}`)
    this.at = ordinal
  }

  /** The reader was said to be at a cursor, without another change. */
  moveTo(cursor: string): void {
    const ordinal = this.#ordinalOf(cursor)
    if (ordinal < this.at) throw new Violation(`the cursor moved back from ${this.cursor} to ${cursor}`)
    const missed = this.#truth.nextWanted(this.log, this.at, this.#wanted, ordinal)
    if (missed !== null) throw new Violation(`the cursor moved from ${this.cursor} to ${cursor}, past ${missed}`)
    const { last } = this.#truth
    if (last?.log === this.log && ordinal > last.ordinal)
      throw new Violation(`the cursor ${cursor} is ahead of ${cursorText(last)}, the last change`)
    this.at = ordinal
  }

  /** What lies between was said to be gone: `oldest` is the first number that can be read, null if none can now. */
  passGap(to: string, oldest: number | null): void {
    const ordinal = this.#ordinalOf(to)
    const isReadable = oldest === null ? ordinal <= this.at : ordinal >= oldest || this.at + 1 >= oldest
    if (isReadable && !this.#truth.hasLostTail)
      throw new Violation(`behind ${this.cursor} everything up to ${to} was said to be gone; the oldest is ${oldest}`)
    this.at = ordinal
  }

  #ordinalOf(text: string): number {
    const cursor = parseCursor(text)
    if (cursor?.log !== this.log) throw new Violation(`${text} is no cursor of ${this.log}`)
    return cursor.ordinal
  }
}
