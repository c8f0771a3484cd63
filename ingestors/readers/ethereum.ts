import * as Schema from "effect/Schema"
import { ETHEREUM_ADDRESS, ETHEREUM_HASH } from "../../schemas/feeds/ethereum-transfers.ts"
import { rounded } from "../../schemas/number.ts"

// Values of Ethereum's JSON-RPC (https://ethereum.org/en/developers/docs/apis/json-rpc/): quantities are hexadecimal and
// exceed 53 bits, so that they are read as big integers.

const WEI_PER_MICRO_ETH = 10n ** 12n
const WEI_PER_MICRO_GWEI = 10n ** 3n
const MICRO = 1_000_000
const GWEI_PLACES = 3

/** A quantity of at most 256 bits. Zeros in front are against the specification, and harmless. */
export const Quantity = Schema.String.check(Schema.isPattern(/^0x[0-9a-fA-F]{1,64}$/))

const insensitive = (pattern: RegExp): RegExp => new RegExp(pattern.source, "i")

export const Hash = Schema.String.check(Schema.isPattern(insensitive(ETHEREUM_HASH)))
/** In capitals and small letters where a client writes the checksum. */
export const Address = Schema.String.check(Schema.isPattern(insensitive(ETHEREUM_ADDRESS)))

/** The number of a quantity; null beyond 53 bits. */
export const countOf = (quantity: string): number | null => {
  const count = BigInt(quantity)
  return count <= BigInt(Number.MAX_SAFE_INTEGER) ? Number(count) : null
}

/** Ether of an amount in wei, with six decimals. Truncated, so that no amount is rounded up to a threshold. */
export const etherOf = (wei: bigint): number => Number(wei / WEI_PER_MICRO_ETH) / MICRO

/** Gwei of an amount in wei, with at most three decimals. */
export const gweiOf = (wei: bigint): number => rounded(Number(wei / WEI_PER_MICRO_GWEI) / MICRO, GWEI_PLACES)
