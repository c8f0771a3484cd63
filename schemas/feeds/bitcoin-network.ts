import * as Schema from "effect/Schema"
import { valueFeed } from "../feed.ts"

/** Dearer fees are not believed: the dearest weeks so far asked some 1,000 satoshi a virtual byte. */
export const FEE_MAX_SAT_PER_VB = 1_000_000
/** The whole supply of bitcoin, 21 million, in satoshi. */
export const SUPPLY_MAX_SAT = 21_000_000 * 100_000_000

/** Zero is no fee but the lack of an estimate. */
const Fee = Schema.Finite.check(Schema.isBetween({ minimum: 0, maximum: FEE_MAX_SAT_PER_VB, exclusiveMinimum: true }))
const Positive = Schema.Finite.check(Schema.isGreaterThan(0))

/** What a transaction pays for a place in a block within a time, satoshi a virtual byte. */
export const BitcoinFees = Schema.Struct({
  /** In the next block. */
  fastest: Fee,
  /** Within half an hour. */
  halfHour: Fee,
  /** Within an hour. */
  hour: Fee,
  /** Without haste; null where it is not given. */
  economy: Schema.NullOr(Fee),
  /** The least that nodes relay; null where it is not given. */
  minimum: Schema.NullOr(Fee),
})

/** The state of the Bitcoin network as one node sees it. */
export const BitcoinNetwork = Schema.Struct({
  /** Height of the newest block. */
  blockHeight: Schema.Natural,
  feesSatPerVb: BitcoinFees,
  /** Estimate of the network's hashrate, exahashes (10^18 hashes) a second; null without an estimate. */
  hashrateEhS: Schema.NullOr(Positive),
  /** Expected hashes for a block, as a multiple of those of the easiest block; null if it is not given. */
  difficulty: Schema.NullOr(Positive),
  /** The transactions that wait for a block. */
  mempool: Schema.Struct({
    count: Schema.Natural,
    /** Their size, virtual bytes. */
    vsizeVb: Schema.Finite.check(Schema.isGreaterThanOrEqualTo(0)),
    /** All that they offer to pay, satoshi; null if it is not given. */
    totalFeeSat: Schema.NullOr(Schema.Finite.check(Schema.isBetween({ minimum: 0, maximum: SUPPLY_MAX_SAT }))),
  }),
})
export type BitcoinNetwork = typeof BitcoinNetwork.Type

/** Nothing in it has a time of its own: how fresh it is follows from the polls alone. */
export const bitcoinNetwork = valueFeed({
  name: "bitcoin-network",
  description: "The Bitcoin network: height, fees, hashrate, difficulty and the transactions that wait for a block.",
  value: BitcoinNetwork,
  key: "mainnet",
})
