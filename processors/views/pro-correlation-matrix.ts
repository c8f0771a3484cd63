import {
  CORRELATION_METHOD,
  type CorrelationAsset,
  type CorrelationMatrix,
  type CorrelationSymbol,
  correlationAssets,
  correlationNotes,
  correlationPairs,
  correlationSymbols,
  pairName,
  proCorrelationMatrixEndpoint,
  RETURNS_MIN,
  unreadNote,
} from "../../schemas/endpoints/pro-correlation-matrix.ts"
import { type EconomicNumber, type EconomicSeriesId, economicSeries } from "../../schemas/feeds/economic-series.ts"
import { recordOf } from "../../schemas/record.ts"
import { correlate, directionOf, relationshipOf } from "../correlations/correlation.ts"
import { optionally, view } from "../view/view.ts"

/** A pair of assets with its correlation, or the cause why it has none. */
type JudgedPair = {
  readonly a: CorrelationAsset
  readonly b: CorrelationAsset
  readonly n: number
} & ({ readonly r: number } | { readonly r: null; readonly cause: string })

const seriesOf = Object.fromEntries(correlationAssets.map(({ symbol, series }) => [symbol, series])) as Readonly<
  Record<CorrelationSymbol, EconomicSeriesId>
>

type Numbers = ReadonlyArray<EconomicNumber>

const judge = (
  a: CorrelationAsset,
  b: CorrelationAsset,
  numbersOf: (asset: CorrelationAsset) => Numbers,
): JudgedPair => {
  const unread = [a, b].filter((asset) => numbersOf(asset).length === 0)
  if (unread.length > 0) return { a, b, n: 0, r: null, cause: unreadNote(unread) }
  const { r, returns: n } = correlate(numbersOf(a), numbersOf(b))
  if (r !== null) return { a, b, n, r }
  const cause =
    n < RETURNS_MIN
      ? `No correlation: ${n} returns on common days; at least ${RETURNS_MIN} are needed.`
      : `No correlation: one side does not change over its ${n} returns.`
  return { a, b, n, r, cause }
}

export default view({
  endpoint: proCorrelationMatrixEndpoint,
  // Each asset is an input of its own, so that one may be withheld without the others.
  reads: recordOf(correlationSymbols, (symbol) => optionally(economicSeries, { series: seriesOf[symbol] })),
  build: (inputs): CorrelationMatrix => {
    const numbersOf = ({ symbol }: CorrelationAsset): Numbers => inputs[symbol]?.payload.items ?? []
    const judged = correlationPairs.map(([a, b]) => judge(a, b, numbersOf))
    const rOf = (one: CorrelationSymbol, other: CorrelationSymbol): number | null =>
      one === other
        ? 1
        : (judged.find(({ a, b }) => [a.symbol, b.symbol].every((symbol) => symbol === one || symbol === other))?.r ??
          null)
    return {
      window: "30d",
      method: CORRELATION_METHOD,
      assets: correlationAssets.map((asset) => ({
        symbol: asset.symbol,
        asset_class: asset.asset_class,
        observations: numbersOf(asset).length,
      })),
      pairs: judged
        .flatMap(({ a, b, n, r }) =>
          r === null
            ? []
            : [
                {
                  a: a.symbol,
                  b: b.symbol,
                  pearson_r: r,
                  n_observations: n,
                  relationship: relationshipOf(r),
                  direction: directionOf(r),
                },
              ],
        )
        // Pairs of equal size keep the order of the assets.
        .sort((one, other) => Math.abs(other.pearson_r) - Math.abs(one.pearson_r)),
      matrix: recordOf(correlationSymbols, (a) => recordOf(correlationSymbols, (b) => rOf(a, b))),
      sample_size: {
        assets_requested: correlationAssets.length,
        assets_with_data: correlationAssets.filter((asset) => numbersOf(asset).length > 0).length,
        pairs_left_out: judged.filter(({ r }) => r === null).length,
      },
      notes: {
        ...correlationNotes,
        ...Object.fromEntries(judged.flatMap((one) => (one.r === null ? [[pairName(one.a, one.b), one.cause]] : []))),
      },
    }
  },
})
