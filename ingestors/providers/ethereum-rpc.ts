import { providerAccess } from "../provider-access.ts"
import type { CollectInput } from "../source.ts"
import { termsOf } from "../terms.ts"

const TERMS_URL = "https://www.publicnode.com/"
const FACTS = "facts of the chain"

/** The terms of single calls: what they answer are facts of the chain. */
export const ethereumCallTerms = termsOf({ use: "provider", url: TERMS_URL, clause: FACTS, sold: "yes" })

/** The terms of sweeps of blocks by public nodes: once credits are sold, only an operator's own nodes are swept. */
export const ethereumSweepTerms = termsOf({
  use: "restricted",
  url: TERMS_URL,
  clause: "no data mining; the facts of the chain themselves may be sold",
  sold: "yes",
})

/** Public nodes of Ethereum's main network that want no key, each of another operator, in the order of preference. */
export const ethereumNodes = [
  "https://ethereum-rpc.publicnode.com/",
  "https://eth.merkle.io/",
  "https://eth.drpc.org/",
  "https://cloudflare-eth.com/",
] as const

/**
 * Their operators state no limit, or one far above these rates: two blocks a second from one host while a gap is filled, and some
 * ten requests a minute to all of them otherwise.
 */
export const ethereumRpc = providerAccess({
  name: "ethereum-rpc",
  addresses: {
    setting: "ETHEREUM_RPC_URLS",
    description:
      "Ethereum nodes of your own, without a secret in the address; public ones are not swept for blocks while WALLET_ADDRESS is set",
    names: ["first", "second", "third", "fourth"],
    terms: ethereumCallTerms,
  },
  hosts: ethereumNodes.map((node) => new URL(node).host),
  pace: { requestsMax: 2, intervalMs: 1_000, concurrencyMax: 1, rateLimitedPauseMs: 60_000 },
})

/** The nodes that are asked: those of the operator, else the public ones. */
export const nodesFor = ({
  addresses = {},
}: Pick<CollectInput, "addresses">): readonly [string, ...ReadonlyArray<string>] => {
  const [first, ...others] = Object.values(addresses)
  return first === undefined ? ethereumNodes : [first, ...others]
}
