import type { PredictionMarket } from "../../schemas/feeds/predictions.ts"
import { rounded } from "../../schemas/number.ts"
import { type KnownItems, type Learnt, MARKET_VOLUME_MIN_USD, marketSeverity, type UntimedDelta } from "./news.ts"

const DAY_MS = 86_400_000
/** The smallest move of a probability that is published. */
const MARKET_MOVE_MIN = 0.01
/** The shortest time between two events of one market. */
const MARKET_EVERY_MS = 5 * 60_000
/** Markets that are known, at most: fifty are listed at a time. */
const KNOWN_MAX = 2_000
/** Decimals at which probabilities are compared: floats hold 0.57 - 0.56 as less than 0.01. */
const PROBABILITY_PLACES = 9

/** A market as it was last stated, or as it stood in the first payload. */
type KnownMarket = {
  /** Null where no outcome had a probability. */
  readonly outcomes: PredictionMarket["outcomes"] | null
  /** When it was last stated; null for one of the first payload. */
  readonly statedMs: number | null
  /** When it left the list; null while it is there. A market that returns within 24 hours is not newly listed. */
  readonly leftMs: number | null
}
export type KnownMarkets = KnownItems<KnownMarket>

type Outcome = PredictionMarket["outcomes"][number]
interface Leading {
  readonly at: number
  readonly name: string
  readonly probability: number
}

/** The outcome with the largest probability, the first of equal ones; null where none has one. */
export const leadingOutcome = (outcomes: ReadonlyArray<Outcome>): Leading | null =>
  outcomes.reduce<Leading | null>(
    (best, { name, probability }, at) =>
      probability !== null && (best === null || probability > best.probability) ? { at, name, probability } : best,
    null,
  )

/** The probability of the same outcome in another state of its market. */
const probabilityOf = (outcomes: ReadonlyArray<Outcome>, { at, name }: Leading): number | null => {
  const same = outcomes[at]
  return (same?.name === name ? same : outcomes.find((one) => one.name === name))?.probability ?? null
}

/** Whether a probability moved by a hundredth or more. The first one of an outcome is a move, a lost one is none. */
const moved = (then: number | null, now: number | null): boolean =>
  now !== null && (then === null || rounded(Math.abs(now - then), PROBABILITY_PLACES) >= MARKET_MOVE_MIN)

/** Whether the outcome that leads now, or the one that led then, has moved since. */
export const hasMoved = (then: ReadonlyArray<Outcome>, now: ReadonlyArray<Outcome>): boolean =>
  [leadingOutcome(now), leadingOutcome(then)].some(
    (leading) => leading !== null && moved(probabilityOf(then, leading), probabilityOf(now, leading)),
  )

/** The news of one market, and what is known of it from now on; undefined for a market that is still to be stated. */
const learnMarket = (
  market: PredictionMarket,
  before: KnownMarket | undefined,
  isFirst: boolean,
  nowMs: number,
): { readonly news: UntimedDelta | null; readonly known: KnownMarket | undefined } => {
  const { id, question, outcomes, volume24hUsd: volume, url } = market
  const leading = leadingOutcome(outcomes)
  const unstated: KnownMarket = { outcomes: leading === null ? null : outcomes, statedMs: null, leftMs: null }
  if (before === undefined && isFirst) return { news: null, known: unstated }
  const here = before === undefined ? undefined : { ...before, leftMs: null }
  if (leading === null) return { news: null, known: here }
  if (here?.outcomes === null) return { news: null, known: { ...here, outcomes } }
  const isPaused = here !== undefined && here.statedMs !== null && nowMs - here.statedMs < MARKET_EVERY_MS
  const isNews = here === undefined || (!isPaused && hasMoved(here.outcomes, outcomes))
  if (!isNews || volume === null || volume < MARKET_VOLUME_MIN_USD) return { news: null, known: here }
  return {
    news: {
      type: "prediction_market_update",
      severity: marketSeverity(volume),
      data: {
        id,
        question,
        outcome: leading.name,
        probability: leading.probability,
        previous: here === undefined ? null : probabilityOf(here.outcomes, leading),
        volume_24h: volume,
        url,
      },
    },
    known: { outcomes, statedMs: nowMs, leftMs: null },
  }
}

/**
 * The markets that are news, in the order of the list: with a turnover of 10,000 US dollars in 24 hours, newly listed, or
 * moved by a hundredth since they were last stated, which is at least five minutes ago. Without `known` the payload is the
 * first one: its markets are a backlog, and news once they have moved from where they stood.
 */
export const learnMarkets = (
  markets: ReadonlyArray<PredictionMarket>,
  known: KnownMarkets | undefined,
  nowMs: number,
): Learnt<KnownMarkets> => {
  const before = new Map((known ?? []).filter(([, { leftMs }]) => leftMs === null || leftMs > nowMs - DAY_MS))
  const listed = new Set(markets.map(({ id }) => id))
  const read = markets.map((market) => ({
    id: market.id,
    ...learnMarket(market, before.get(market.id), known === undefined, nowMs),
  }))
  const left = [...before].flatMap(([id, one]) =>
    listed.has(id) ? [] : [[id, { ...one, leftMs: one.leftMs ?? nowMs }] as const],
  )
  return {
    news: read.flatMap(({ news }) => news ?? []),
    known: [
      ...left.sort(
        ([one, { leftMs: oneMs }], [other, { leftMs: otherMs }]) => oneMs - otherMs || (one < other ? -1 : 1),
      ),
      ...read
        .flatMap(({ id, known: one }) => (one === undefined ? [] : [[id, one] as const]))
        .sort(([one], [other]) => (one < other ? -1 : 1)),
    ].slice(-KNOWN_MAX),
  }
}
