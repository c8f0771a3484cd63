import { LRUCache } from "lru-cache"

/** The requests of one client in its current window. */
interface Window {
  count: number
  readonly endsAtMs: number
}

/** The state of a client's share after a request. */
export interface Share {
  readonly allowed: boolean
  readonly remaining: number
  /** Whole seconds until the window ends, at least 1. */
  readonly resetSeconds: number
}

/** Clients with a window in memory. The least recently seen one is dropped first, and starts with a whole share. */
const CLIENTS_MAX = 50_000

/**
 * Counts requests of each client in windows that begin with its first request. Memory is bounded, and a frequent client is
 * never the one dropped. Own code, as rate-limiter-flexible is asynchronous, holds a timer for each key and does not bound
 * their number.
 */
export class RateLimit {
  readonly #windows: LRUCache<string, Window>
  readonly #max: number
  readonly #windowMs: number

  constructor(options: { readonly max: number; readonly windowMs: number; readonly clientsMax?: number }) {
    this.#max = options.max
    this.#windowMs = options.windowMs
    // Not `max`, which allocates the memory of all clients at the start for each of a dozen limits.
    this.#windows = new LRUCache({ maxSize: options.clientsMax ?? CLIENTS_MAX, sizeCalculation: () => 1 })
  }

  /** Counts one request of a client. */
  take(client: string, nowMs: number): Share {
    let window = this.#windows.get(client)
    // A window that begins in the future was opened before the clock stepped back, and would last as much longer.
    if (window === undefined || window.endsAtMs <= nowMs || window.endsAtMs - this.#windowMs > nowMs) {
      window = { count: 0, endsAtMs: nowMs + this.#windowMs }
      this.#windows.set(client, window)
    }
    const allowed = window.count < this.#max
    if (allowed) window.count += 1
    return {
      allowed,
      remaining: this.#max - window.count,
      resetSeconds: Math.max(1, Math.ceil((window.endsAtMs - nowMs) / 1000)),
    }
  }

  /** Uncounts one request of a client. */
  giveBack(client: string): void {
    const window = this.#windows.peek(client)
    if (window !== undefined && window.count > 0) window.count -= 1
  }

  /** Number of clients with a window in memory. */
  get size(): number {
    return this.#windows.size
  }
}
