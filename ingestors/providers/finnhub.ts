import { followedSymbols } from "../../schemas/feeds/stock-quotes.ts"
import { providerAccess } from "../provider-access.ts"

/** Requests that a free key allows in any minute: https://finnhub.io/docs/api/rate-limit */
const REQUESTS_A_MINUTE = 60
/** Fetches on request that the quota leaves room for beside the usual list of symbols. */
const ON_REQUEST_A_MINUTE = 25
/** The quota counts a minute in pieces of 5 s, so that it may hold the polls of 65 s. */
const SCHEDULED_A_MINUTE = Math.ceil((followedSymbols.length * 65) / 60)

/** How many symbols may be fetched on request in a minute: fewer where more are followed. */
export const stocksOnRequestMax = Math.min(ON_REQUEST_A_MINUTE, REQUESTS_A_MINUTE - SCHEDULED_A_MINUTE)

/** Finnhub: one symbol a request. */
export const finnhubAccess = providerAccess({
  name: "finnhub",
  key: {
    setting: "FINNHUB_KEY",
    description: "Finnhub, quotes of US shares with their previous close",
    signupUrl: "https://finnhub.io/register",
    optional: false,
  },
  quotas: [{ per: "minute", requestsMax: REQUESTS_A_MINUTE, onRequestMax: stocksOnRequestMax }],
})
