import { prefixesOf } from "./client-address.ts"
import type { ApiLimits } from "./limits.ts"
import { RateLimit } from "./rate-limit.ts"

const MINUTE_MS = 60_000
const DAY_MS = 86_400_000
/** What a network and a provider get, in shares of one client. */
const NETWORK_SHARES = 2
const PROVIDER_SHARES = 12
/** The key under which all requests count together. */
const ALL = "all"
/** The part of the total that is reserved for clients with few requests today. */
const RESERVE = 1 / 4

/** The limits of a share: of one client, and of all clients together. */
export interface ShareLimits {
  readonly perMinute: number
  readonly perDay: number
  readonly perMinuteInAll: number
  readonly perDayInAll: number
  /** Clients with at most this many requests today may use the reserve. */
  readonly ofNewClient: number
}

/** The share of fetches on demand, which providers limit for the whole service. Refreshes count like first fetches. */
export const fetchShareLimits = (limits: ApiLimits): ShareLimits => ({
  perMinute: limits.demandFetchesPerMinute,
  perDay: limits.demandFetchesPerDay,
  perMinuteInAll: limits.demandFetchesPerMinuteInAll,
  perDayInAll: limits.demandFetchesPerDayInAll,
  ofNewClient: limits.demandFetchesOfNewClient,
})

/** The share of confirms that may look up a transaction, which costs calls to every provider of the chain. */
export const lookupShareLimits = (limits: ApiLimits): ShareLimits => ({
  perMinute: limits.confirmsPerMinute,
  perDay: limits.chainLookupsPerDay,
  perMinuteInAll: limits.chainLookupsPerMinuteInAll,
  perDayInAll: limits.chainLookupsPerDayInAll,
  ofNewClient: limits.chainLookupsOfNewClient,
})

/** One limit; `inAll`: all clients share it. */
interface Rule {
  readonly limit: RateLimit
  readonly max: number
  readonly key: (client: string) => string
  readonly inAll: boolean
}

/**
 * Divides among clients what costs money or a quota: by the minute and by the day, for each client, for its network (/24,
 * /48), for its provider (/16, /32) and in total. The last quarter of the total is reserved for clients with few requests
 * today.
 */
export class PrefixShare {
  readonly #rules: ReadonlyArray<Rule>
  readonly #newClientMax: number

  constructor({ perMinute, perDay, perMinuteInAll, perDayInAll, ofNewClient }: ShareLimits) {
    const rule = (max: number, windowMs: number, key: Rule["key"], inAll = false): Rule => ({
      limit: new RateLimit({ max, windowMs }),
      max,
      key,
      inAll,
    })
    /** The limits of a client and of its prefixes; the client first, then its network. */
    const rulesOf = (max: number, windowMs: number) => [
      rule(max, windowMs, (client) => client),
      rule(NETWORK_SHARES * max, windowMs, (client) => prefixesOf(client).network),
      rule(PROVIDER_SHARES * max, windowMs, (client) => prefixesOf(client).provider),
    ]
    this.#newClientMax = ofNewClient
    this.#rules = [
      ...rulesOf(perDay, DAY_MS),
      ...rulesOf(perMinute, MINUTE_MS),
      rule(perMinuteInAll, MINUTE_MS, () => ALL, true),
      rule(perDayInAll, DAY_MS, () => ALL, true),
    ]
  }

  /** Counts one request of a client. Null when it may start; else the seconds to wait, and the request is not counted. */
  take(client: string, nowMs: number): number | null {
    const taken = this.#rules.map((rule) => ({ rule, share: rule.limit.take(rule.key(client), nowMs) }))
    const usedOf = (at: number): number =>
      taken[at] === undefined ? 0 : taken[at].rule.max - taken[at].share.remaining
    const isNew = usedOf(0) <= this.#newClientMax && usedOf(1) <= NETWORK_SHARES * this.#newClientMax
    const refused = taken.find(
      ({ rule, share }) => !share.allowed || (rule.inAll && !isNew && share.remaining < RESERVE * rule.max),
    )
    if (refused === undefined) return null
    for (const { rule, share } of taken) if (share.allowed) rule.limit.giveBack(rule.key(client))
    return refused.share.resetSeconds
  }
}
