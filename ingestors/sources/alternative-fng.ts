import * as Schema from "effect/Schema"
import { instant } from "../../schemas/event.ts"
import { FEAR_GREED_DAYS, fearGreed, fearGreedLabels } from "../../schemas/feeds/fear-greed.ts"
import { document, UpstreamError } from "../document.ts"
import { unreadable } from "../poll/read.ts"
import { newestMs } from "../readers/instants.ts"
import { Decimal, EpochSeconds, maybe } from "../readers/wire.ts"
import { listSource } from "../source.ts"
import { termsOf } from "../terms.ts"

const labelOf = (text: string) => fearGreedLabels.find((label) => label.toLowerCase() === text.trim().toLowerCase())

/** One of the five classes of the index, in any case. */
export const Label = Schema.String.check(
  Schema.makeFilter((text: string) => labelOf(text) !== undefined || "none of the five classes"),
)
/** A value of the index, 0 to 100. */
export const Value = Decimal.check(Schema.isBetween({ minimum: 0, maximum: 100 }))
const Row = Schema.Struct({ value: Value, value_classification: Label, timestamp: EpochSeconds })
/** Metadata of an answer; `error` is null in a good one. */
export const Metadata = maybe(Schema.Struct({ error: maybe(Schema.String) }))

/** https://alternative.me/crypto/fear-and-greed-index/#api The newest row also counts down to the next value. */
const Index = Schema.Struct({
  name: maybe(Schema.String),
  data: maybe(Schema.Array(Schema.Unknown)),
  metadata: Metadata,
}).check(
  Schema.makeFilter(({ data, metadata }) => data != null || metadata?.error != null || "neither data nor an error"),
)

const API = "https://api.alternative.me/fng/"
const index = document({ format: "json", wire: Index, url: `${API}?limit=${FEAR_GREED_DAYS}` })
const NAME = /fear and greed/i
const DAY_S = 86_400

const timestampOf = (row: unknown): number => {
  const decoded = Schema.decodeUnknownOption(Schema.Struct({ timestamp: EpochSeconds }))(row)
  return decoded._tag === "Some" ? decoded.value.timestamp : 0
}
const newestFirst = (one: unknown, other: unknown): number => timestampOf(other) - timestampOf(one)

export default listSource({
  name: "alternative-fng",
  provider: "AlternativeMe.fear_greed",
  fills: fearGreed,
  every: "5 minutes",
  documents: { index },
  collect: (upstream) => upstream.fetch(index, undefined),
  // The order is not documented: of two rows of one day the later one counts.
  rows: ({ name, data, metadata }) => {
    if (metadata?.error != null) return new UpstreamError({ message: "the answer is an error" })
    return NAME.test(name ?? "fear and greed")
      ? (data ?? []).toSorted(newestFirst)
      : new UpstreamError({ message: "the answer is another index" })
  },
  row: Row,
  toItem: ({ value, value_classification, timestamp }) => {
    const label = labelOf(value_classification)
    if (label === undefined) return unreadable("its class is none of the five")
    return { day: instant(Math.floor(timestamp / DAY_S) * DAY_S * 1000), value: Math.round(value), label }
  },
  contentAtMs: (_, read) => newestMs(read.map(({ item }) => item.day)),
  attribution: {
    provider: "alternative.me Crypto Fear & Greed Index",
    licence: "Free with attribution next to the number",
    url: "https://alternative.me/crypto/fear-and-greed-index/",
  },
  terms: termsOf({
    use: "provider",
    url: "https://alternative.me/crypto/fear-and-greed-index/",
    clause: "commercial use, with the source named beside the number",
    shown: "yes",
    sold: "yes",
    credit: "Crypto Fear & Greed Index by Alternative.me",
  }),
})
