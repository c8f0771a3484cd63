import type { Counted } from "../../schemas/contract/endpoint-kinds.ts"
import type { Answers, Exchange } from "./answer.ts"
import type { ApiLimits } from "./limits.ts"
import { CHEAP, COSTLY, dayShare, minuteShare, PrefixShare } from "./prefix-share.ts"
import { problem, rateLimited } from "./problems.ts"

/** Rate limits of a client. The premium endpoints count those of tokens. */
type ClientShare = Exclude<Counted, "token" | "never">

/** Admits or refuses requests by the limits of their client. */
export interface RequestAdmission {
  /** Counts a request of a client. False: the request was refused, and its refusal was sent. */
  readonly admit: (exchange: Exchange, client: string, counted: Counted) => boolean
  /** Uncounts an admitted request that turned out to be one that does not count. */
  readonly excuse: (client: string, counted: Counted) => void
}

/**
 * Makes the admission of an API's requests. Each limit of a client has wider ones of its network and of its provider.
 */
export const makeAdmission = (limits: ApiLimits, answers: Answers, nowMs: () => number): RequestAdmission => {
  const cheapMinute = (ofClient: number) => new PrefixShare(minuteShare(ofClient, CHEAP))
  const costlyMinute = (ofClient: number) => new PrefixShare(minuteShare(ofClient, COSTLY))
  const again = "Too many requests of this kind in the last minute. Retry after Retry-After."
  const shares: Readonly<Record<ClientShare, { readonly limit: PrefixShare; readonly message: string }>> = {
    daily: {
      limit: new PrefixShare(dayShare(limits.requestsPerDay, CHEAP)),
      message: `At most ${limits.requestsPerDay} requests a day are answered for one client.`,
    },
    minute: {
      limit: cheapMinute(limits.serviceRequestsPerMinute),
      message: `At most ${limits.serviceRequestsPerMinute} such requests a minute are answered for one client.`,
    },
    pages: {
      limit: cheapMinute(limits.pageRequestsPerMinute),
      message: `At most ${limits.pageRequestsPerMinute} requests a minute for pages are answered for one client.`,
    },
    receipts: {
      limit: costlyMinute(limits.receiptVerifiesPerMinute),
      message: `At most ${limits.receiptVerifiesPerMinute} receipts a minute are verified for one client.`,
    },
    payments: { limit: costlyMinute(limits.paymentCallsPerMinute), message: again },
    confirms: { limit: costlyMinute(limits.confirmsPerMinute), message: again },
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
