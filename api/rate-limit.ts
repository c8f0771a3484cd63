import { LRUCache } from "lru-cache"

/** One client's use of its share. */
interface Window {
  count: number
  readonly endsAtMs: number
}

/** What a request was answered by the limit. */
export interface Share {
  readonly allowed: boolean
  readonly remaining: number
  /** Until the share is whole again, in whole seconds, at least 1. */
  readonly resetSeconds: number
}

/** Clients that are remembered at the same time. The one seen longest ago is forgotten first, and starts afresh. */
const CLIENTS_MAX = 50_000

/**
 * Counts requests of each client in windows that begin with its first request. Memory is bounded; whoever asks often is
 * never the one forgotten.
 */
export class RateLimit {
  readonly #windows: LRUCache<string, Window>
  readonly #max: number
  readonly #windowMs: number

  constructor(options: { readonly max: number; readonly windowMs: number; readonly clientsMax?: number }) {
    this.#max = options.max
    this.#windowMs = options.windowMs
    // Not `max`: that allocates room for all clients at once, and there are a dozen limits.
    this.#windows = new LRUCache({ maxSize: options.clientsMax ?? CLIENTS_MAX, sizeCalculation: () => 1 })
  }

  /** Counts one request of a client. */
  take(client: string, nowMs: number): Share {
    let window = this.#windows.get(client)
    // A window that has not begun yet was begun by a clock that stepped back since: it would last for as long as that.
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

  /** Takes back one request of a client that was counted and should not have been. */
  giveBack(client: string): void {
    const window = this.#windows.peek(client)
    if (window !== undefined && window.count > 0) window.count -= 1
  }

  /** Number of clients that are remembered. */
  get size(): number {
    return this.#windows.size
  }
}
