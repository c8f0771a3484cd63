import * as Schema from "effect/Schema"
import { getAddress, isAddress } from "viem"
import type { Chain } from "../../ledger/chain.port.ts"
import { BASE_CHAIN } from "../../schemas/contract/payment.ts"
import type { Random } from "./signature.ts"

/** USDC on Base. */
export const USDC_ON_BASE = "0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913"
/** The chain id of Base. */
export const BASE_CHAIN_ID: number = BASE_CHAIN.id

const PROVIDERS_MAX = 16
/** The configuration of the chain cannot work. The message contains no URL, as URLs hold keys. */
export class ChainMisconfigured extends Schema.TaggedError<ChainMisconfigured>()("ChainMisconfigured", {
  problem: Schema.String,
}) {
  override get message() {
    return this.problem
  }
}

/** Options of a chain. */
export interface ChainOptions {
  /** JSON-RPC providers, http or https; no two may be the same. A user and password in them become a header. */
  readonly rpcUrls: ReadonlyArray<string>
  /** The address that payers pay to. */
  readonly wallet: string
  readonly chainId?: number | undefined
  /** The address of USDC. */
  readonly contract?: string | undefined
  readonly name?: string | undefined
  /** How many providers must agree; more than half of them by default. */
  readonly agreement?: number | undefined
  /** Random bytes for signatures that a sound contract rejects. */
  readonly random?: Random | undefined
  /** Deadline of one call. */
  readonly callTimeoutMs?: number | undefined
  /** The monotonic clock, in milliseconds. */
  readonly nowMs?: (() => number) | undefined
}

const isProviderUrl = (text: string): boolean => {
  const url = URL.parse(text)
  return url !== null && (url.protocol === "https:" || url.protocol === "http:")
}

/** Why these options can never work; null where they can. */
export const problemOf = ({ rpcUrls, wallet, contract, agreement }: ChainOptions): string | null => {
  const wrong = rpcUrls.findIndex((url) => !isProviderUrl(url))
  if (rpcUrls.length === 0 || rpcUrls.length > PROVIDERS_MAX) return `1 to ${PROVIDERS_MAX} RPC URLs are needed`
  if (wrong >= 0) return `RPC URL ${wrong} (from 0) is not an http or https URL`
  // A provider that is listed twice would agree with itself.
  if (new Set(rpcUrls.map((url) => new URL(url).href)).size < rpcUrls.length) return "an RPC URL is listed twice"
  if (!isAddress(wallet)) return "the wallet is not an address, or its checksum is wrong"
  if (contract !== undefined && !isAddress(contract))
    return "the USDC contract is not an address, or its checksum is wrong"
  if (agreement !== undefined && !(Number.isInteger(agreement) && agreement >= 1 && agreement <= rpcUrls.length))
    return `the agreement must be a whole number from 1 to ${rpcUrls.length}, the number of RPC URLs`
  return null
}

/** More than half of the providers. */
export const majorityOf = (providers: number): number => Math.floor(providers / 2) + 1

/** The facts of a chain, with addresses in checksum case; null if the wallet is no address. */
export const factsOf = ({
  wallet,
  contract = USDC_ON_BASE,
  chainId = BASE_CHAIN_ID,
  name = "Base",
  rpcUrls = [],
  agreement = majorityOf(rpcUrls.length),
}: Pick<ChainOptions, "wallet" | "contract" | "chainId" | "name" | "agreement"> &
  Partial<Pick<ChainOptions, "rpcUrls">>): Chain["facts"] | null =>
  isAddress(wallet)
    ? {
        name,
        chainId,
        contract: getAddress(contract),
        wallet: getAddress(wallet),
        trust: rpcUrls.length === 0 ? null : { providers: rpcUrls.length, agreement },
      }
    : null
