import { providerAccess } from "../provider-access.ts"

/** Public nodes of Ethereum's main network that want no key, each of another operator, in the order of preference. */
export const ethereumNodes = [
  "https://ethereum-rpc.publicnode.com/",
  "https://eth.merkle.io/",
  "https://eth.drpc.org/",
  "https://cloudflare-eth.com/",
] as const

/**
 * Their operators state no number, or one far above ours: two blocks a second from one host while a gap is filled, and some
 * ten requests a minute to all of them otherwise.
 */
export const ethereumRpc = providerAccess({
  name: "ethereum-rpc",
  hosts: ethereumNodes.map((node) => new URL(node).host),
  pace: { requestsMax: 2, intervalMs: 1_000, concurrencyMax: 1, rateLimitedPauseMs: 60_000 },
})
