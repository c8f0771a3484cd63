import * as Schema from "effect/Schema"
import { valueFeed } from "../feed.ts"

/** Dearer gas is not believed: the dearest hours so far asked some 10,000 gwei. */
const GAS_MAX_GWEI = 1_000_000_000

const Gwei = Schema.Finite.check(Schema.isBetween({ minimum: 0, maximum: GAS_MAX_GWEI }))

/** What a unit of gas costs on Ethereum's main network, gwei with at most three decimals. */
export const EthereumGas = Schema.Struct({
  /** The newest block that the fees were read of. */
  blockNumber: Schema.Natural,
  /** The part that the protocol asks in the block after it. */
  baseFeeGwei: Gwei,
  /** With the tip that a quarter of the newest block's gas undercut. */
  lowGwei: Gwei,
  /** With the median tip. */
  standardGwei: Gwei,
  /** With the tip that only a quarter exceeded. */
  fastGwei: Gwei,
})
export type EthereumGas = typeof EthereumGas.Type

export const ethereumGas = valueFeed({
  name: "ethereum-gas",
  description: "The price of gas on Ethereum's main network: the next block's base fee and what transactions pay.",
  value: EthereumGas,
  key: "mainnet",
  // A block is made every 12 seconds: minutes without one mean that the node lags.
  contentAgeMax: "5 minutes",
})
