import * as Schema from "effect/Schema"
import { document, UpstreamError } from "../document.ts"
import { notOurs, unreadable } from "../poll/read.ts"
import { coinBefore, EmptyOrDecimal, fundingRateOf, fundingVenue, numberOrNull } from "../readers/perpetuals.ts"
import { maybe } from "../readers/wire.ts"
import { listSource } from "../source.ts"
import { termsOf } from "../terms.ts"

/**
 * https://hyperliquid.gitbook.io/hyperliquid-docs/for-developers/api/info-endpoint/perpetuals
 * Two lists that are joined by position: the assets, and their state.
 */
const Assets = Schema.Tuple([Schema.Struct({ universe: Schema.Array(Schema.Unknown) }), Schema.Array(Schema.Unknown)])

/** An asset and its state. A delisted one stays in both lists, with zeros and nulls. */
const Asset = Schema.Struct({
  asset: Schema.Struct({ name: Schema.NonEmptyString, isDelisted: maybe(Schema.Boolean) }),
  state: Schema.NullOr(
    Schema.Struct({
      /** A fraction for each hour. */
      funding: EmptyOrDecimal,
      markPx: EmptyOrDecimal,
    }),
  ),
})

/** https://hyperliquid.gitbook.io/hyperliquid-docs/trading/funding Funding is paid at every full hour. */
const PERIOD_HOURS = 1

const assets = document({
  format: "json",
  method: "POST",
  wire: Assets,
  url: "https://api.hyperliquid.xyz/info",
  body: { type: "metaAndAssetCtxs" },
})

export default listSource({
  name: "hyperliquid",
  ...fundingVenue("Hyperliquid"),
  documents: { assets },
  collect: (upstream) => upstream.fetch(assets, undefined),
  rows: ([{ universe }, states]) =>
    universe.length === states.length
      ? universe.map((asset, at) => ({ asset, state: states[at] }))
      : new UpstreamError({ message: "the two lists are of different lengths" }),
  row: Asset,
  toItem: ({ asset: { name, isDelisted }, state }) => {
    // Contracts of exchanges that others deploy have a prefix (`xyz:TSLA`) and are left out.
    const base = coinBefore("", name)
    if (isDelisted === true || base === null) return notOurs
    const rate = numberOrNull(state?.funding)
    return rate === null
      ? unreadable("it has no funding rate")
      : fundingRateOf({
          symbol: name,
          base,
          periodHours: PERIOD_HOURS,
          rate,
          markPrice: state?.markPx,
          nextFundingMs: null,
        })
  },
  // The answer has no time.
  contentAtMs: () => null,
  attribution: {
    provider: "Hyperliquid",
    licence: "Hyperliquid terms of use; terms of the API are not stated",
    url: "https://hyperliquid.gitbook.io/hyperliquid-docs/for-developers/api",
  },
  terms: termsOf({ use: "provider", url: "https://app.hyperliquid.xyz/terms" }),
})
