import type { Counted } from "../../schemas/contract/counted.ts"
import type { Answers, Exchange } from "./answer.ts"
import type { ApiLimits } from "./limits.ts"
import { problem, rateLimited } from "./problems.ts"
import { RateLimit } from "./rate-limit.ts"

const DAY_MS = 86_400_000
const MINUTE_MS = 60_000

/** Rate limits of a client. The premium endpoints count those of tokens. */
type ClientShare = Exclude<Counted, "token" | "never">

/** Admits or refuses requests by the limits of their client. */
export interface RequestAdmission {
  /** Counts a request of a client. False: the request was refused, and its refusal was sent. */
  readonly admit: (exchange: Exchange, client: string, counted: Counted) => boolean
  /** Uncounts an admitted request that turned out to be one that does not count. */
  readonly excuse: (client: string, counted: Counted) => void
}

/** Makes the admission of an API's requests. */
export const makeAdmission = (limits: ApiLimits, answers: Answers, nowMs: () => number): RequestAdmission => {
  const aDay = (max: number) => new RateLimit({ max, windowMs: DAY_MS })
  const aMinute = (max: number) => new RateLimit({ max, windowMs: MINUTE_MS })
  const again = "Too many requests of this kind in the last minute. Retry after Retry-After."
  const shares: Readonly<Record<ClientShare, { readonly limit: RateLimit; readonly message: string }>> = {
    daily: {
      limit: aDay(limits.requestsPerDay),
      message: `At most ${limits.requestsPerDay} requests a day are answered for one client.`,
    },
    minute: {
      limit: aMinute(limits.serviceRequestsPerMinute),
      message: `At most ${limits.serviceRequestsPerMinute} such requests a minute are answered for one client.`,
    },
    pages: {
      limit: aMinute(limits.pageRequestsPerMinute),
      message: `At most ${limits.pageRequestsPerMinute} requests a minute for pages are answered for one client.`,
    },
    receipts: {
      limit: aMinute(limits.receiptVerifiesPerMinute),
      message: `At most ${limits.receiptVerifiesPerMinute} receipts a minute are verified for one client.`,
    },
    payments: { limit: aMinute(limits.paymentCallsPerMinute), message: again },
    confirms: { limit: aMinute(limits.confirmsPerMinute), message: again },
  }
  const withinShare = (exchange: Exchange, client: string, counted: ClientShare): boolean => {
    const { limit, message } = shares[counted]
    const share = limit.take(client, nowMs())
    if (counted === "daily") exchange.share = share
    if (!share.allowed) answers.problem(exchange, rateLimited(share.resetSeconds, message))
    return share.allowed
  }
  return {
    admit: (exchange, client, counted) => {
      if (counted === "token" || counted === "never") return true
      if (!withinShare(exchange, client, counted)) return false
      if ((exchange.request.url ?? "").length <= limits.urlLengthMax) return true
      const message = `The address is longer than ${limits.urlLengthMax} characters.`
      answers.problem(exchange, problem(414, "uri_too_long", message))
      return false
    },
    excuse: (client, counted) => {
      if (counted !== "token" && counted !== "never") shares[counted].limit.giveBack(client)
    },
  }
}
