import { providerAccess } from "../provider-access.ts"

/** Lichess asks for one request at a time, and for a full minute of silence after status 429: https://lichess.org/api */
export const lichess = providerAccess({
  name: "lichess",
  hosts: ["lichess.org"],
  pace: { requestsMax: 1, intervalMs: 1_000, concurrencyMax: 1, rateLimitedPauseMs: 60_000 },
})
