import type { ChangeFilter } from "./filter.ts"
import type { ChangeWindow } from "./window.ts"

/** A call that waits for a change which matches. */
export interface Waiter {
  readonly filter: ChangeFilter
  readonly untilMs: number
  /** Everything up to this number was looked at. */
  after: number
  readonly wake: () => void
}

/** The calls of a process that wait for a change. */
export class WaitingCalls {
  readonly #window: ChangeWindow
  readonly #waiters = new Set<Waiter>()
  #isEnded = false

  constructor(window: ChangeWindow) {
    this.#window = window
  }

  get count(): number {
    return this.#waiters.size
  }

  /**
   * Calls `wake` once: when there may be a change that matches behind `after`, when the time is over, or when all calls end. It
   * may be called at once.
   */
  wait(waiter: Waiter): void {
    if (this.#isEnded || this.#isDue(waiter)) waiter.wake()
    else this.#waiters.add(waiter)
  }

  /** Forgets a waiting call. */
  forget(waiter: Waiter): void {
    this.#waiters.delete(waiter)
  }

  /** Wakes the calls that have something to look at. */
  wakeDue(): void {
    for (const waiter of this.#waiters) if (this.#isDue(waiter)) this.#wake(waiter)
  }

  /** Wakes the calls whose time is over. */
  wakeLate(nowMs: number): void {
    for (const waiter of this.#waiters) if (nowMs >= waiter.untilMs) this.#wake(waiter)
  }

  wakeAll(): void {
    for (const waiter of this.#waiters) this.#wake(waiter)
  }

  /** Wakes every call, now and from now on. */
  end(): void {
    this.#isEnded = true
    this.wakeAll()
  }

  /** Whether a waiting call has something to look at. Otherwise it need not look at the same changes again. */
  #isDue(waiter: Waiter): boolean {
    const window = this.#window
    if (!window.holds(waiter.after)) return true
    if (window.hasBehind(waiter.after, waiter.filter)) return true
    waiter.after = Math.max(waiter.after, window.reached)
    return false
  }

  #wake(waiter: Waiter): void {
    this.#waiters.delete(waiter)
    waiter.wake()
  }
}
