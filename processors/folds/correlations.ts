import {
  type CorrelationAsset,
  correlationAssets,
  correlationPairs,
  pairName,
} from "../../schemas/endpoints/pro-correlation-matrix.ts"
import type { EventType } from "../../schemas/event.ts"
import { correlationComputed } from "../../schemas/events/correlations.ts"
import { type EconomicNumber, economicSeries } from "../../schemas/feeds/economic-series.ts"
import type { Json } from "../../schemas/json.ts"
import { correlate, type PairCorrelation } from "../correlations/correlation.ts"
import { type HashedPayload, payloadOf, pollDataOf } from "../feed-state.ts"
import { type DerivedEvent, processor, type State, type StateChange, unchanged } from "../processor.ts"

const stateKeys = {
  series: ({ series }: CorrelationAsset) => `series/${series}`,
  pair: (a: CorrelationAsset, b: CorrelationAsset) => `pair/${pairName(a, b)}`,
} as const

const keptIn = (state: State, asset: CorrelationAsset): HashedPayload | undefined =>
  // Written by this fold only.
  state.get(stateKeys.series(asset)) as unknown as HashedPayload | undefined

const numbersOf = (payload: Json): ReadonlyArray<EconomicNumber> =>
  // Payloads of the feed were decoded when they were logged.
  (payload as unknown as { readonly items: ReadonlyArray<EconomicNumber> }).items

const isSame = (one: PairCorrelation | undefined, other: PairCorrelation): boolean =>
  one !== undefined &&
  one.r === other.r &&
  one.returns === other.returns &&
  one.firstDay === other.firstDay &&
  one.lastDay === other.lastDay

/**
 * Computes the correlations of the pairs of a series when its numbers change, and derives an event of each that is another
 * one, or of other days: the history of the correlations. State by key: `series/<series>` (the payload with its hash) and
 * `pair/<a>/<b>` (PairCorrelation).
 */
export default processor({
  name: "correlations",
  step: (state, event) => {
    const poll = pollDataOf(event)
    if (poll === null || poll.feed !== economicSeries.name) return unchanged
    const changed = correlationAssets.find(({ series }) => series === poll.parameters.series)
    if (changed === undefined) return unchanged
    const after = payloadOf(event, keptIn(state, changed) ?? null)
    if (after._tag !== "Brought") return unchanged
    const { payload, hash } = after
    const payloadNow = (asset: CorrelationAsset) => (asset === changed ? payload : keptIn(state, asset)?.payload)
    const changes: Array<StateChange> = [[stateKeys.series(changed), { payload, hash }, hash]]
    const events: Array<DerivedEvent> = []
    for (const [a, b] of correlationPairs) {
      if (a !== changed && b !== changed) continue
      const [one, other] = [payloadNow(a), payloadNow(b)]
      if (one === undefined || other === undefined) continue
      const now = correlate(numbersOf(one), numbersOf(other))
      // Written by this fold only.
      if (isSame(state.get(stateKeys.pair(a, b)) as PairCorrelation | undefined, now)) continue
      changes.push([stateKeys.pair(a, b), now])
      const { r: pearsonR, ...of } = now
      events.push({
        // Widened to `EventType`.
        type: correlationComputed as unknown as EventType,
        subject: pairName(a, b),
        data: { a: a.symbol, b: b.symbol, pearsonR, ...of, observedAt: event.time },
      })
    }
    return { state: changes, events }
  },
})
