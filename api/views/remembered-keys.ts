/** Keys that are forgotten a fixed time after they were last remembered. */
export class RememberedKeys {
  readonly #forMs: number
  /** When each key is forgotten; in the order of these times, unless the clock was set back. */
  readonly #untilMs = new Map<string, number>()

  constructor(forMs: number) {
    this.#forMs = forMs
  }

  /** Remembers a key from now on. */
  add(key: string, nowMs: number): void {
    // Deleted first, so that the key moves to the end.
    this.#untilMs.delete(key)
    this.#untilMs.set(key, nowMs + this.#forMs)
  }

  delete(key: string): void {
    this.#untilMs.delete(key)
  }

  /** Removes and returns the keys whose time is over. Costs O(1) when there is none. */
  takeForgotten(nowMs: number): ReadonlyArray<string> {
    const forgotten: Array<string> = []
    for (const [key, untilMs] of this.#untilMs) {
      // A longer time than the fixed one means that the clock stepped back since.
      if (untilMs > nowMs && untilMs - nowMs <= this.#forMs) break
      this.#untilMs.delete(key)
      forgotten.push(key)
    }
    return forgotten
  }
}
