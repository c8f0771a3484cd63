import { providerAccess } from "../provider-access.ts"

/**
 * mempool.space states no number: it answers 429 beyond a limit of its own, and bans clients that go on
 * (https://mempool.space/docs/api/rest), hence the long pause. Its two sources make about eleven requests a minute.
 */
export const mempoolSpace = providerAccess({
  name: "mempool-space",
  hosts: ["mempool.space"],
  pace: { requestsMax: 5, intervalMs: 5_000, concurrencyMax: 2, rateLimitedPauseMs: 120_000 },
})
