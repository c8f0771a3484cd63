/** A key and the instant at which something is to be done about it. */
interface Due {
  readonly atMs: number
  readonly key: string
}

/** A binary heap of due times. A key may stand in it several times: the taker checks what holds by then. */
export class DueHeap {
  readonly #items: Array<Due> = []

  /** Number of entries. */
  get size(): number {
    return this.#items.length
  }

  /** Adds a key. O(log n). */
  add(key: string, atMs: number): void {
    const items = this.#items
    items.push({ key, atMs })
    let at = items.length - 1
    while (at > 0) {
      const parent = (at - 1) >> 1
      if (!this.#before(at, parent)) break
      this.#swap(at, parent)
      at = parent
    }
  }

  /** Removes and returns the next key that is due at `nowMs`, or null. O(log n). */
  take(nowMs: number): string | null {
    const items = this.#items
    const first = items[0]
    if (first === undefined || first.atMs > nowMs) return null
    const last = items.pop()
    if (last !== undefined && items.length > 0) {
      items[0] = last
      this.#sink()
    }
    return first.key
  }

  #sink(): void {
    let at = 0
    for (;;) {
      const left = 2 * at + 1
      const right = left + 1
      let least = at
      if (this.#before(left, least)) least = left
      if (this.#before(right, least)) least = right
      if (least === at) return
      this.#swap(at, least)
      at = least
    }
  }

  #before(one: number, other: number): boolean {
    const a = this.#items[one]
    const b = this.#items[other]
    return a !== undefined && b !== undefined && a.atMs < b.atMs
  }

  #swap(one: number, other: number): void {
    const a = this.#items[one]
    const b = this.#items[other]
    if (a === undefined || b === undefined) return
    this.#items[one] = b
    this.#items[other] = a
  }
}
