import { Schema } from "effect"
import { instant } from "../../schemas/event.ts"
import { FEAR_GREED_DAYS, fearGreed, fearGreedLabels } from "../../schemas/feeds/fear-greed.ts"
import { document, source, UpstreamError } from "../source.ts"
import { Decimal, EpochSeconds, maybe } from "../wire.ts"

const labelOf = (text: string) => fearGreedLabels.find((label) => label.toLowerCase() === text.trim().toLowerCase())

const Label = Schema.String.check(
  Schema.makeFilter((text: string) => labelOf(text) !== undefined || "none of the five classes"),
)
const Value = Decimal.check(Schema.isBetween({ minimum: 0, maximum: 100 }))
const Metadata = maybe(Schema.Struct({ error: maybe(Schema.String) }))

/** https://alternative.me/crypto/fear-and-greed-index/#api The newest row also counts down to the next value. */
const Index = Schema.Struct({
  data: maybe(Schema.Array(Schema.Struct({ value: Value, value_classification: Label, timestamp: EpochSeconds }))),
  metadata: Metadata,
}).check(
  Schema.makeFilter(({ data, metadata }) => data != null || metadata?.error != null || "neither data nor an error"),
)

/** The same with `date_format`, which turns the times into dates of several orders. */
const DatedIndex = Schema.Struct({
  data: Schema.Array(
    Schema.Struct({
      value: Value,
      value_classification: Label,
      timestamp: Schema.String.check(Schema.isPattern(/^\d{1,4}[-./]\d{1,2}[-./]\d{1,4}$/)),
    }),
  ),
  metadata: Metadata,
})

const API = "https://api.alternative.me/fng/"
const index = document({ format: "json", wire: Index, url: `${API}?limit=${FEAR_GREED_DAYS}` })
const datedIndex = document({
  format: "json",
  wire: DatedIndex,
  url: `${API}?limit=${FEAR_GREED_DAYS}&date_format=world`,
})

const DAY_S = 86_400

export default source({
  name: "alternative-fng",
  provider: "AlternativeMe.fear_greed",
  fills: fearGreed,
  every: "5 minutes",
  documents: { index, datedIndex },
  collect: (upstream) => upstream.get(index, undefined),
  normalise: ({ data, metadata }) => {
    if (metadata?.error != null) return new UpstreamError({ message: "the answer is an error" })
    // Rows are newest first by custom, not by promise; a day that stands twice counts once.
    const byDay = new Map(
      [...(data ?? [])]
        .sort((a, b) => b.timestamp - a.timestamp)
        .flatMap(({ value, value_classification, timestamp }) => {
          const label = labelOf(value_classification)
          const day = instant(Math.floor(timestamp / DAY_S) * DAY_S * 1000)
          return label === undefined ? [] : [[day, { day, value: Math.round(value), label }] as const]
        })
        .reverse(),
    )
    const [newest, ...older] = [...byDay.values()].reverse().slice(0, FEAR_GREED_DAYS)
    if (newest === undefined) return new UpstreamError({ message: "the answer holds no value" })
    return { payload: { items: [newest, ...older] as const }, contentAtMs: Date.parse(newest.day) }
  },
  attribution: {
    provider: "alternative.me Crypto Fear & Greed Index",
    licence: "Free with attribution next to the number",
    url: "https://alternative.me/crypto/fear-and-greed-index/",
  },
})
