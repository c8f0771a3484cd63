import { LRUCache } from "lru-cache"
import { type ClientPrefixes, prefixesOf } from "./client.ts"
import type { ApiLimits } from "./limits.ts"

const MINUTE_MS = 60_000
const DAY_MS = 86_400_000
/** The part of a network's, a provider's and the total share that is reserved for clients with few requests. */
const RESERVED_PART = 1 / 4
/**
 * The largest parts of a total that a network and a provider get. What a provider has beside its reserve is a network's whole
 * part, so that one network does not use up its provider's.
 */
const PARTS = { address: 3 / 8, network: 3 / 8, provider: 1 / 2 }
/** Without a number of its own, a client is new up to this part of its limit. */
const NEW_PART = 1 / 10
/** The key under which all requests count together. */
const ALL = "all"

/** Clients with a window in memory. The least recently seen one is dropped first, and starts with a whole share. */
const CLIENTS_MAX = 50_000

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

/** The limits of a network (/24, /48) and of a provider (/16, /32), in limits of one client. */
interface PrefixMultiples {
  readonly network: number
  readonly provider: number
}
/** For what costs money, a quota, or much more than a look-up. */
export const COSTLY: PrefixMultiples = { network: 2, provider: 12 }
/** For what is a look-up. Many people may share a network, so it gets far more than one of them. */
export const CHEAP: PrefixMultiples = { network: 16, provider: 128 }

/** The limits of one length of time. */
interface ShareWindow {
  readonly windowMs: number
  readonly ofClient: number
  /** Of all clients together; null where what they use does not run out. */
  readonly inAll: number | null
}

/** The limits of a share. */
export interface ShareLimits {
  /** The longest last: in it, few requests make a client new. */
  readonly windows: ReadonlyArray<ShareWindow>
  readonly multiples: PrefixMultiples
  /** Clients with at most this many requests in the longest window may use what is reserved. */
  readonly ofNewClient: number
}

/** A share of one window, without a total. */
const windowShare = (ofClient: number, windowMs: number, multiples: PrefixMultiples): ShareLimits => ({
  windows: [{ windowMs, ofClient, inAll: null }],
  multiples,
  ofNewClient: Math.ceil(NEW_PART * ofClient),
})

/** A share of a minute, without a total. */
export const minuteShare = (ofClient: number, multiples: PrefixMultiples): ShareLimits =>
  windowShare(ofClient, MINUTE_MS, multiples)

/** A share of a day, without a total. */
export const dayShare = (ofClient: number, multiples: PrefixMultiples): ShareLimits =>
  windowShare(ofClient, DAY_MS, multiples)

/** The share of fetches on demand, which providers limit for the whole service. Refreshes count like first fetches. */
export const fetchShareLimits = (limits: ApiLimits): ShareLimits => ({
  windows: [
    { windowMs: MINUTE_MS, ofClient: limits.demandFetchesPerMinute, inAll: limits.demandFetchesPerMinuteInAll },
    { windowMs: DAY_MS, ofClient: limits.demandFetchesPerDay, inAll: limits.demandFetchesPerDayInAll },
  ],
  multiples: COSTLY,
  ofNewClient: limits.demandFetchesOfNewClient,
})

/** The share of confirms that may look up a transaction, which costs calls to every provider of the chain. */
export const lookupShareLimits = (limits: ApiLimits): ShareLimits => ({
  windows: [
    { windowMs: MINUTE_MS, ofClient: limits.confirmsPerMinute, inAll: limits.chainLookupsPerMinuteInAll },
    { windowMs: DAY_MS, ofClient: limits.chainLookupsPerDay, inAll: limits.chainLookupsPerDayInAll },
  ],
  multiples: COSTLY,
  ofNewClient: limits.chainLookupsOfNewClient,
})

/** One limit of one prefix length. */
interface Rule {
  readonly limit: RateLimit
  readonly max: number
  readonly key: (prefixes: ClientPrefixes) => string
  /** Remaining requests below which only new clients are served. */
  readonly reserved: number
  /** Requests up to which the prefix is new; null in windows other than the longest, which do not decide it. */
  readonly newMax: number | null
}

type Level = "address" | "network" | "provider"
const LEVELS: ReadonlyArray<Level> = ["address", "network", "provider"]

/** The limits of a share, the narrowest prefix first: whether it is new decides on the reserve of a wider one. */
const rulesOf = ({ windows, multiples, ofNewClient }: ShareLimits): ReadonlyArray<Rule> => {
  const clients: Readonly<Record<Level, number>> = { address: 1, ...multiples }
  const rule = (windowMs: number, max: number, key: Rule["key"], rest: Pick<Rule, "reserved" | "newMax">): Rule => ({
    limit: new RateLimit({ max, windowMs }),
    max,
    key,
    ...rest,
  })
  const ofPrefixes = LEVELS.flatMap((level) =>
    windows.map(({ windowMs, ofClient, inAll }, at) => {
      const part = inAll === null ? Number.POSITIVE_INFINITY : Math.max(1, Math.floor(PARTS[level] * inAll))
      const max = Math.min(clients[level] * ofClient, part)
      return rule(windowMs, max, (prefixes) => prefixes[level], {
        reserved: level === "address" ? 0 : RESERVED_PART * max,
        newMax: at === windows.length - 1 ? clients[level] * ofNewClient : null,
      })
    }),
  )
  const inAll = windows.flatMap(({ windowMs, inAll: max }) =>
    max === null ? [] : [rule(windowMs, max, () => ALL, { reserved: RESERVED_PART * max, newMax: null })],
  )
  return [...ofPrefixes, ...inAll]
}

/**
 * Divides among clients what is limited: for each client, for its network (/24, /48), for its provider (/16, /32), and in
 * total where what they use runs out. A network gets at most three eighths of a total, and a provider half of it. The last
 * quarter of a network's, of a provider's and of the total share is reserved: for a client with few requests, of a network
 * with few, of a provider with few.
 */
export class PrefixShare {
  readonly #rules: ReadonlyArray<Rule>

  constructor(limits: ShareLimits) {
    this.#rules = rulesOf(limits)
  }

  /**
   * Counts one request of a client. What remains is that of the client itself in the shortest window. A refused request is
   * not counted: nothing remains, and `resetSeconds` is of the limit that refused it.
   */
  take(client: string, nowMs: number): Share {
    const prefixes = prefixesOf(client)
    let own: Share | null = null
    let isNew = true
    let counted = 0
    for (const rule of this.#rules) {
      const share = rule.limit.take(rule.key(prefixes), nowMs)
      const isReserved = !isNew && share.remaining < rule.reserved
      if (share.allowed) counted += 1
      if (!share.allowed || isReserved) {
        this.#giveBack(prefixes, counted)
        return { allowed: false, remaining: 0, resetSeconds: share.resetSeconds }
      }
      own ??= share
      isNew &&= rule.newMax === null || rule.max - share.remaining <= rule.newMax
    }
    return own ?? { allowed: true, remaining: 0, resetSeconds: 1 }
  }

  /** Uncounts one request of a client. */
  giveBack(client: string): void {
    this.#giveBack(prefixesOf(client), this.#rules.length)
  }

  /** Uncounts one request in the first `count` limits. */
  #giveBack(prefixes: ClientPrefixes, count: number): void {
    for (let at = 0; at < count; at++) {
      const rule = this.#rules[at]
      rule?.limit.giveBack(rule.key(prefixes))
    }
  }
}

// A share of a client or a token in headers: as structured fields, and as the older three that many clients read.

/** A share: its name, its requests, and the length of its window. */
export interface SharePolicy {
  readonly name: "day" | "minute"
  readonly max: number
  readonly windowSeconds: number
}

/** The headers of a share that are the same for every reply. */
export const policyHeaders = ({ name, max, windowSeconds }: SharePolicy): ReadonlyArray<string> => [
  "RateLimit-Policy",
  `"${name}";q=${max};w=${windowSeconds}`,
  "RateLimit-Limit",
  String(max),
]

/** `RateLimit`: the rest of a share. */
export const rateLimitOf = ({ name }: SharePolicy, { remaining, resetSeconds }: Share): string =>
  `"${name}";r=${remaining};t=${resetSeconds}`

/** All headers of a share. */
export const shareHeaders = (policy: SharePolicy, share: Share): ReadonlyArray<string> => [
  ...policyHeaders(policy),
  "RateLimit",
  rateLimitOf(policy, share),
  "RateLimit-Remaining",
  String(share.remaining),
  "RateLimit-Reset",
  String(share.resetSeconds),
]
