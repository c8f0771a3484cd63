/** Counts of what is in use now, by key. A key with a count of zero takes no memory. */
export class Tally {
  readonly #counts = new Map<string, number>()

  /** Counts one more and returns true, unless the key is at `max`. */
  add(key: string, max: number): boolean {
    const count = this.#counts.get(key) ?? 0
    if (count >= max) return false
    this.#counts.set(key, count + 1)
    return true
  }

  /** Counts one less. */
  remove(key: string): void {
    const left = (this.#counts.get(key) ?? 1) - 1
    if (left === 0) this.#counts.delete(key)
    else this.#counts.set(key, left)
  }
}
