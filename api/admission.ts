import type { Answers, Exchange } from "./answer.ts"
import type { ApiLimits } from "./limits.ts"
import { problem, rateLimited } from "./problems.ts"
import { RateLimit } from "./rate-limit.ts"

/**
 * What a request counts against. `data`: the daily share of its client. `service`: a limit by the minute for all that a
 * client needs when its share is used up (catalog, documents, keys, the page about buying, refusals, errors). `verify`: a
 * limit by the minute for receipts, whose bodies cost more than other requests. `none`: none of them.
 */
export type Quota = "data" | "service" | "verify" | "none"

const DAY_MS = 86_400_000
const MINUTE_MS = 60_000

/** Decides which requests are answered. */
export interface Admission {
  /** Counts a request of a client. False: it was refused, and is answered. */
  readonly admit: (exchange: Exchange, client: string, quota: Quota) => boolean
  /** Takes an admission back: the request turned out to be one that does not count. */
  readonly excuse: (client: string, quota: Quota) => void
}

/** Makes the admission of an API. */
export const makeAdmission = (limits: ApiLimits, answers: Answers, nowMs: () => number): Admission => {
  const daily = new RateLimit({ max: limits.requestsPerDay, windowMs: DAY_MS })
  const service = new RateLimit({ max: limits.serviceRequestsPerMinute, windowMs: MINUTE_MS })
  const verifies = new RateLimit({ max: limits.receiptVerifiesPerMinute, windowMs: MINUTE_MS })
  const limiters = { data: daily, service, verify: verifies } as const
  const messages = {
    data: `At most ${limits.requestsPerDay} requests a day are answered for one client.`,
    service: `At most ${limits.serviceRequestsPerMinute} such requests a minute are answered for one client.`,
    verify: `At most ${limits.receiptVerifiesPerMinute} receipts a minute are verified for one client.`,
  } as const
  const withinLimit = (exchange: Exchange, client: string, quota: Quota): boolean => {
    if (quota === "none") return true
    const share = limiters[quota].take(client, nowMs())
    if (quota === "data") exchange.share = share
    if (share.allowed) return true
    answers.problem(exchange, rateLimited(share.resetSeconds, messages[quota]))
    return false
  }
  return {
    admit: (exchange, client, quota) => {
      if (!withinLimit(exchange, client, quota)) return false
      if (quota === "none" || (exchange.request.url ?? "").length <= limits.urlLengthMax) return true
      const message = `The address is longer than ${limits.urlLengthMax} characters.`
      answers.problem(exchange, problem(414, "uri_too_long", message))
      return false
    },
    excuse: (client, quota) => {
      if (quota !== "none") limiters[quota].giveBack(client)
    },
  }
}
