import { prefixesOf } from "./client-address.ts"
import type { ApiLimits } from "./limits.ts"
import { RateLimit } from "./rate-limit.ts"

const MINUTE_MS = 60_000
const DAY_MS = 86_400_000
/** Fetches of a network, in shares of one client. */
const NETWORK_SHARES = 2
/** The key under which all fetches count together. */
const ALL = "all"
/** The part of the total that is reserved for clients with few fetches today. */
const RESERVE = 1 / 4

/** One limit on fetches; `inAll`: all clients share it. */
interface Rule {
  readonly limit: RateLimit
  readonly max: number
  readonly key: (client: string) => string
  readonly inAll: boolean
}

const networkOf = (client: string): string => prefixesOf(client).network

/**
 * Divides the fetches on demand among clients, as providers limit them for the whole service: by the minute and by the
 * day, for each client, for each network (/24, /48) and in total. The last quarter of the total is reserved for clients
 * with few fetches today. Refreshes count like first fetches.
 */
export class FetchShare {
  readonly #rules: ReadonlyArray<Rule>
  readonly #newClientMax: number

  constructor(limits: ApiLimits) {
    const rule = (max: number, windowMs: number, key: Rule["key"], inAll = false): Rule => ({
      limit: new RateLimit({ max, windowMs }),
      max,
      key,
      inAll,
    })
    this.#newClientMax = limits.demandFetchesOfNewClient
    this.#rules = [
      rule(limits.demandFetchesPerDay, DAY_MS, (client) => client),
      rule(NETWORK_SHARES * limits.demandFetchesPerDay, DAY_MS, networkOf),
      rule(limits.demandFetchesPerMinute, MINUTE_MS, (client) => client),
      rule(NETWORK_SHARES * limits.demandFetchesPerMinute, MINUTE_MS, networkOf),
      rule(limits.demandFetchesPerMinuteInAll, MINUTE_MS, () => ALL, true),
      rule(limits.demandFetchesPerDayInAll, DAY_MS, () => ALL, true),
    ]
  }

  /** Counts one fetch of a client. Null when it may start; else the seconds to wait, and the fetch is not counted. */
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
