import * as Schema from "effect/Schema"
import { endpoint } from "../contract/endpoint.ts"
import type { Selection } from "../contract/endpoint-kinds.ts"
import { WITHHELD_NOTE } from "../contract/provenance.ts"
import { ECONOMIC_NUMBERS_MAX, type EconomicSeriesId } from "../feeds/economic-series.ts"
import { recordOf } from "../record.ts"

/** Returns of a pair, at most: the thirty of the window. */
export const RETURNS_MAX = 30
/** Returns below which a pair has no correlation. */
export const RETURNS_MIN = 10

/** The assets in their order, each with its series. */
export const correlationAssets = [
  { symbol: "TREASURY_10Y", asset_class: "rates", series: "DGS10" },
  { symbol: "TREASURY_2Y", asset_class: "rates", series: "DGS2" },
  { symbol: "USD_INDEX", asset_class: "fx", series: "DTWEXBGS" },
  { symbol: "OIL_WTI", asset_class: "commodity", series: "DCOILWTICO" },
] as const satisfies ReadonlyArray<{
  readonly symbol: string
  readonly asset_class: string
  readonly series: EconomicSeriesId
}>
export type CorrelationAsset = (typeof correlationAssets)[number]
export type CorrelationSymbol = CorrelationAsset["symbol"]
/** Symbols of the assets, in their order. */
export const correlationSymbols = correlationAssets.map(({ symbol }) => symbol)

/** Every pair of assets, the first of it before the second in their order. */
export const correlationPairs: ReadonlyArray<readonly [a: CorrelationAsset, b: CorrelationAsset]> =
  correlationAssets.flatMap((a, at) => correlationAssets.slice(at + 1).map((b) => [a, b] as const))

const relationships = ["negligible", "weak", "moderate", "strong"] as const
export type Relationship = (typeof relationships)[number]
const directions = ["positive", "negative", "none"] as const
export type Direction = (typeof directions)[number]

/** The method in words. */
export const CORRELATION_METHOD = [
  "Pearson's correlation of simple daily returns. Of each pair: the days on which both series have a number, the newest",
  `${RETURNS_MAX + 1} of them, and the returns from each of these days to the next, so that both sides span the same days;`,
  "a return on a number that is not above zero is left out with that of the other side. A pair with fewer than",
  `${RETURNS_MIN} returns, or with a side that does not change, has no correlation. Rounded to 4 decimals; its absolute`,
  "value is strong from 0.7, moderate from 0.4, weak from 0.2, else negligible.",
].join(" ")

const Symbols = Schema.Literals(correlationSymbols)
const Correlation = Schema.Finite.check(Schema.isBetween({ minimum: -1, maximum: 1 }))

const Row = Schema.Struct({
  TREASURY_10Y: Schema.NullOr(Correlation),
  TREASURY_2Y: Schema.NullOr(Correlation),
  USD_INDEX: Schema.NullOr(Correlation),
  OIL_WTI: Schema.NullOr(Correlation),
} satisfies Record<CorrelationSymbol, unknown>)

/** The data of the endpoint. */
export const CorrelationMatrix = Schema.Struct({
  window: Schema.Literal("30d"),
  method: Schema.NonEmptyString.annotate({ description: "The method in words" }),
  assets: Schema.Array(
    Schema.Struct({
      symbol: Symbols,
      asset_class: Schema.Literals(["rates", "fx", "commodity"]),
      observations: Schema.Natural.check(Schema.isLessThanOrEqualTo(ECONOMIC_NUMBERS_MAX)).annotate({
        description: "Daily numbers of the series in view; 0 while it was never read",
      }),
    }),
  ),
  pairs: Schema.Array(
    Schema.Struct({
      a: Symbols,
      b: Symbols,
      pearson_r: Correlation.annotate({ description: "Correlation, from -1 to 1, 4 decimals" }),
      n_observations: Schema.Int.check(Schema.isBetween({ minimum: RETURNS_MIN, maximum: RETURNS_MAX })).annotate({
        description: "Returns that the correlation is of",
      }),
      relationship: Schema.Literals(relationships),
      direction: Schema.Literals(directions).annotate({ description: "none where the relationship is negligible" }),
    }),
  )
    .check(Schema.isMaxLength(correlationPairs.length))
    .annotate({ description: "The largest absolute correlation first; pairs without one are left out" }),
  matrix: Schema.Struct({ TREASURY_10Y: Row, TREASURY_2Y: Row, USD_INDEX: Row, OIL_WTI: Row } satisfies Record<
    CorrelationSymbol,
    unknown
  >).annotate({ description: "matrix[a][b] is the correlation of a and b, 1 on the diagonal; null without one" }),
  sample_size: Schema.Struct({
    assets_requested: Schema.Natural,
    assets_with_data: Schema.Natural,
    pairs_left_out: Schema.Natural.annotate({ description: "Pairs without a correlation" }),
  }),
  notes: Schema.Record(Schema.String, Schema.String).annotate({
    description: "Explanations, and under `<a>/<b>` why a pair is left out",
  }),
})
export type CorrelationMatrix = typeof CorrelationMatrix.Type

/** The notes that every reply holds. */
export const correlationNotes: CorrelationMatrix["notes"] = {
  series:
    "FRED: TREASURY_10Y is DGS10, TREASURY_2Y DGS2, USD_INDEX DTWEXBGS, OIL_WTI DCOILWTICO. Returns of the treasuries are those of their yields, not of their prices.",
  lag: "The dollar index and the oil price are published days after the yields: their pairs end on an earlier day.",
}

/** The name of a pair in the notes. */
export const pairName = (a: CorrelationAsset, b: CorrelationAsset): string => `${a.symbol}/${b.symbol}`

/** Why a pair has no correlation before both of its series were read. */
export const unreadNote = (unread: ReadonlyArray<CorrelationAsset>): string =>
  `No correlation: ${unread.map(({ symbol }) => symbol).join(" and ")} not read yet.`

/** The data before any series was read. */
const cold: CorrelationMatrix = {
  window: "30d",
  method: CORRELATION_METHOD,
  assets: correlationAssets.map(({ symbol, asset_class }) => ({ symbol, asset_class, observations: 0 })),
  pairs: [],
  matrix: recordOf(correlationSymbols, (a) => recordOf(correlationSymbols, (b) => (a === b ? 1 : null))),
  sample_size: {
    assets_requested: correlationAssets.length,
    assets_with_data: 0,
    pairs_left_out: correlationPairs.length,
  },
  notes: {
    ...correlationNotes,
    ...Object.fromEntries(correlationPairs.map(([a, b]) => [pairName(a, b), unreadNote([a, b])])),
  },
}

/** The matrix without the assets whose series is withheld: each input of the view is named as its asset. */
const selectCorrelations = (
  full: CorrelationMatrix,
  _: object,
  withheld: ReadonlySet<string>,
): Selection<CorrelationMatrix> => {
  const inputs = correlationSymbols.filter((symbol) => !withheld.has(symbol))
  if (inputs.length === correlationSymbols.length) return { data: full, inputs }
  const isServed = (...symbols: ReadonlyArray<CorrelationSymbol>) => symbols.every((one) => inputs.includes(one))
  const assets = full.assets.map((asset) => (isServed(asset.symbol) ? asset : { ...asset, observations: 0 }))
  const pairs = full.pairs.filter(({ a, b }) => isServed(a, b))
  return {
    data: {
      ...full,
      assets,
      pairs,
      matrix: recordOf(correlationSymbols, (a) =>
        recordOf(correlationSymbols, (b) => (a === b || isServed(a, b) ? full.matrix[a][b] : null)),
      ),
      sample_size: {
        assets_requested: correlationAssets.length,
        assets_with_data: assets.filter(({ observations }) => observations > 0).length,
        pairs_left_out: correlationPairs.length - pairs.length,
      },
      notes: {
        ...full.notes,
        ...Object.fromEntries(
          correlationPairs.flatMap(([a, b]) =>
            isServed(a.symbol, b.symbol) ? [] : [[pairName(a, b), `No correlation. ${WITHHELD_NOTE}`]],
          ),
        ),
      },
    },
    inputs,
  }
}

export const proCorrelationMatrixEndpoint = endpoint({
  path: "/api/pro/correlation-matrix",
  name: "pro_correlation_matrix",
  kind: "filtered",
  tier: "premium",
  subject: "markets",
  credits: 2,
  ttl: "30 minutes",
  summary: "How the daily returns of two treasury yields, the dollar index and crude oil move together",
  description: [
    "Pearson's correlation of each pair over the newest 30 returns that both sides have. A call is free of charge while no",
    "pair has a correlation.",
  ].join(" "),
  parameters: {},
  data: CorrelationMatrix,
  cold,
  select: selectCorrelations,
  empty: ({ pairs }) => pairs.length === 0,
  example: {
    ...cold,
    assets: cold.assets.map((one, at) => ({ ...one, observations: at === 3 ? 0 : 60 })),
    pairs: [
      {
        a: "TREASURY_10Y",
        b: "TREASURY_2Y",
        pearson_r: 0.8217,
        n_observations: 30,
        relationship: "strong",
        direction: "positive",
      },
      {
        a: "TREASURY_2Y",
        b: "USD_INDEX",
        pearson_r: 0.3105,
        n_observations: 30,
        relationship: "weak",
        direction: "positive",
      },
      {
        a: "TREASURY_10Y",
        b: "USD_INDEX",
        pearson_r: -0.0412,
        n_observations: 30,
        relationship: "negligible",
        direction: "none",
      },
    ],
    matrix: {
      TREASURY_10Y: { TREASURY_10Y: 1, TREASURY_2Y: 0.8217, USD_INDEX: -0.0412, OIL_WTI: null },
      TREASURY_2Y: { TREASURY_10Y: 0.8217, TREASURY_2Y: 1, USD_INDEX: 0.3105, OIL_WTI: null },
      USD_INDEX: { TREASURY_10Y: -0.0412, TREASURY_2Y: 0.3105, USD_INDEX: 1, OIL_WTI: null },
      OIL_WTI: { TREASURY_10Y: null, TREASURY_2Y: null, USD_INDEX: null, OIL_WTI: 1 },
    },
    sample_size: { assets_requested: 4, assets_with_data: 3, pairs_left_out: 3 },
    notes: {
      ...correlationNotes,
      ...Object.fromEntries(
        correlationPairs.filter(([, b]) => b.symbol === "OIL_WTI").map(([a, b]) => [pairName(a, b), unreadNote([b])]),
      ),
    },
  },
})
