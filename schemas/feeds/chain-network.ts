import * as Schema from "effect/Schema"
import { endpoint } from "../contract/endpoint.ts"
import { clause, numberText } from "../contract/glance.ts"
import { Instant } from "../event.ts"
import { valueFeed } from "../feed.ts"
import { rounded } from "../number.ts"

/** Transactions a second beyond which a sample is not believed: a hundred times of what the network has ever carried. */
export const TRANSACTIONS_PER_SECOND_MAX = 10_000_000

const Rate = Schema.NullOr(Schema.Finite.check(Schema.isBetween({ minimum: 0, maximum: TRANSACTIONS_PER_SECOND_MAX })))
const Percent = Schema.Finite.check(Schema.isBetween({ minimum: 0, maximum: 100 }))

/** How busy Solana's main network is and where it stands. */
export const ChainNetwork = Schema.Struct({
  /** Transactions a second in the newest sample of a minute, votes of validators included; null without a sample. */
  transactionsPerSecond: Rate,
  /** The same over the newest samples together, at most three. */
  transactionsPerSecondAverage: Rate,
  /** Without votes; null on nodes that do not count them apart. */
  nonVoteTransactionsPerSecond: Rate,
  /** The newest finalised slot. */
  slot: Schema.Natural,
  /** Mean time of a slot over the newest samples, milliseconds; null without a sample. */
  slotMs: Schema.NullOr(Schema.Finite.check(Schema.isGreaterThan(0))),
  epoch: Schema.Natural,
  epochProgressPercent: Percent,
  /** Below the slot, as some slots are skipped; null where the node does not say. */
  blockHeight: Schema.NullOr(Schema.Natural),
  /** When the block of that slot was made; null where the node does not know. */
  at: Schema.NullOr(Instant),
})
export type ChainNetwork = typeof ChainNetwork.Type

export const chainNetwork = valueFeed({
  name: "chain-network",
  description: "Throughput, slot and epoch of Solana's main network.",
  value: ChainNetwork,
  key: "mainnet",
  revision: ({ slot }) => slot,
  happenedAt: ({ at }) => at,
  contentAgeMax: "2 minutes",
})

export const chainNetworkEndpoint = endpoint({
  path: "/api/chain-network",
  name: "chain_network",
  kind: "prepared",
  tier: "free",
  subject: "markets",
  ttl: "30 seconds",
  summary: "Solana's main network: transactions a second, slot, slot time and epoch",
  description: [
    "From samples of a minute that the network's nodes keep. Votes of validators are transactions too, about two thirds of",
    "them: `tps_non_vote` leaves them out.",
  ].join(" "),
  parameters: {},
  data: Schema.Struct({
    tps: Rate.annotate({ description: "Transactions a second in the newest sample of a minute, votes included" }),
    tps_avg: Rate.annotate({ description: "The same over the newest three samples" }),
    tps_non_vote: Rate.annotate({
      description: "In the newest sample, without votes; null where they are not counted apart",
    }),
    slot: Schema.Natural.annotate({ description: "Newest finalised slot" }),
    slot_ms: ChainNetwork.fields.slotMs.annotate({ description: "Mean time of a slot, milliseconds" }),
    epoch: Schema.Natural,
    epoch_progress_pct: Percent.annotate({ description: "How much of the epoch has passed, percent" }),
    block_height: ChainNetwork.fields.blockHeight.annotate({ description: "Blocks so far; skipped slots have none" }),
    at: ChainNetwork.fields.at.annotate({ description: "When the block of `slot` was made" }),
  }),
  changes: [{ feed: chainNetwork }],
  glance: {
    title: "Solana",
    headline: ({ tps, tps_non_vote: withoutVotes, epoch, epoch_progress_pct }) => ({
      value: tps === null ? null : rounded(tps, 0),
      unit: "transactions/s",
      note: clause(
        withoutVotes === null ? "votes included" : `${numberText(withoutVotes)} without votes`,
        `epoch ${epoch} at ${numberText(epoch_progress_pct)}%`,
      ),
    }),
  },
  example: {
    tps: 3750.2,
    tps_avg: 3697,
    tps_non_vote: 1086.5,
    slot: 361657817,
    slot_ms: 393,
    epoch: 837,
    epoch_progress_pct: 17.09,
    block_height: 339837864,
    at: "2026-08-17T20:33:00.000Z",
  },
})
