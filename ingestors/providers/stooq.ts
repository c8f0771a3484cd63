import { providerAccess } from "../provider-access.ts"

/**
 * Stooq limits the requests of an address in a day and does not state how many ("Exceeded the daily hits limit"). So it is
 * polled seldom, and a failure of the first source does not use up the day within minutes.
 */
export const stooqAccess = providerAccess({
  name: "stooq",
  quotas: [
    { per: "hour", requestsMax: 60 },
    { per: "day", requestsMax: 500, onRequestMax: 50 },
  ],
})
