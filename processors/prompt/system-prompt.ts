import { LRUCache } from "lru-cache"
import type { NetPrecision } from "../../schemas/feeds/launches.ts"
import { rounded } from "../../schemas/number.ts"
import {
  type PromptListPart,
  type PromptParts,
  type PromptRow,
  QUOTE_LENGTHS,
} from "../../schemas/payloads/context-prompt.ts"
import { contextCurrencies, type WorldContext } from "../../schemas/payloads/world-context.ts"
import { quotable, withheldBy } from "./quoted.ts"

type Events = WorldContext["world_events"]

/** What the prompt is made of. A list is null while its feed was never read. */
export interface PromptFacts {
  readonly atMs: number
  readonly markets: WorldContext["markets"]
  /** How many significant earthquakes there were, and the first of them. */
  readonly earthquakes: {
    readonly count: number
    readonly rows: Events["significant_earthquakes_24h"]
  } | null
  /** `name` stands for a mission that is not stated. */
  readonly launches: ReadonlyArray<Events["upcoming_space_launches"][number] & { readonly name: string }> | null
  readonly stories: Events["tech_news_front_page_top5"] | null
  readonly predictions: Events["prediction_markets_top3"] | null
}

/** A row: the texts of its source, and its words around them. */
interface Row {
  readonly texts: ReadonlyArray<string>
  readonly say: (quotes: ReadonlyArray<string>) => string
}

/** The kind of a row of which nothing is left to quote. */
const NOTHING_LEFT = "unquotable"

/** The kind by which a text of a source is not quoted, or null, and its quotable forms by their lengths. */
interface JudgedText {
  readonly withheld: string | null
  readonly quotes: ReadonlyMap<number, string>
}

/** Longer texts are not memoised, which bounds the memory in bytes. */
const TEXT_MAX_CHARACTERS = 2_000

/** Memoises a costly pure function of a text, for the `textsMax` most recent texts. */
export const onceByText = <Value extends NonNullable<unknown>>(
  textsMax: number,
  of: (text: string) => Value,
): ((text: string) => Value) => {
  const known = new LRUCache<string, Value>({ max: textsMax })
  return (text) => {
    if (text.length > TEXT_MAX_CHARACTERS) return of(text)
    const before = known.get(text)
    if (before !== undefined) return before
    const value = of(text)
    known.set(text, value)
    return value
  }
}

/** Texts that are remembered as judged: some twenty are in a prompt, and it is made again with each poll of ten feeds. */
const JUDGED_MAX = 256

const judged = onceByText(JUDGED_MAX, (text): JudgedText => {
  const quotes = new Map(QUOTE_LENGTHS.map((length): [number, string] => [length, quotable(text, length)]))
  for (const form of new Set([text, ...quotes.values()])) {
    const withheld = form === "" ? NOTHING_LEFT : withheldBy(form)
    if (withheld !== null) return { withheld, quotes }
  }
  return { withheld: null, quotes }
})

const withheldOf = ({ texts }: Row): string | null => {
  for (const text of texts) {
    const { withheld } = judged(text)
    if (withheld !== null) return withheld
  }
  return null
}

const quakeRow = ({ magnitude, place }: Events["significant_earthquakes_24h"][number]): Row => {
  const strength = magnitude === null ? "magnitude unknown" : `M${magnitude.toFixed(1)}`
  return place === null || place === ""
    ? { texts: [], say: () => `${strength} at an unknown place` }
    : { texts: [place], say: ([quote]) => `${strength} ${quote}` }
}

const launchRow = ({
  mission,
  name,
  vehicle,
  net,
  net_precision,
}: NonNullable<PromptFacts["launches"]>[number]): Row => {
  const time = launchTimeText(net, net_precision)
  return {
    texts: [mission ?? name, ...(vehicle === null ? [] : [vehicle])],
    say: ([what, on]) => `${what}${on === undefined ? "" : ` on ${on}`} ${time}`,
  }
}

const storyRow = ({ title, points }: Events["tech_news_front_page_top5"][number]): Row => ({
  texts: [title],
  say: ([quote]) => `${quote}${points === null ? "" : ` (${points})`}`,
})

/** Percent in whole numbers, near 0 and 100 with one decimal. */
const percentText = (probability: number): string => {
  const percent = probability * 100
  return String(rounded(percent, percent < 1 || percent > 99 ? 1 : 0))
}

const marketRow = ({ question, yes_probability }: Events["prediction_markets_top3"][number]): Row => ({
  texts: [question],
  say: ([quote]) =>
    yes_probability === null ? `${quote} without a price of yes` : `${quote} ${percentText(yes_probability)}% yes`,
})

/** A rate in five digits. */
const rateText = (rate: number): string => String(Number(rate.toPrecision(5)))

const policyText = ({ fed_funds_rate: policy }: WorldContext["markets"]): string | null =>
  policy === null ? null : `US policy rate ${rateText(policy.value)}% (${policy.as_of.slice(0, 7)}).`

const ratesText = ({ forex_usd_base: forex }: WorldContext["markets"]): string | null => {
  const rates = contextCurrencies.flatMap((currency) => {
    const rate = forex[currency]
    return rate === null ? [] : [`${rateText(rate)} ${currency}`]
  })
  return rates.length === 0 ? null : `1 USD = ${rates.join(", ")} (${forex.date}).`
}

const [LONGEST, SHORTER, SHORTEST] = QUOTE_LENGTHS

const rowText = ({ texts, say }: Row, length: (typeof QUOTE_LENGTHS)[number]): string =>
  say(texts.map((text) => `"${judged(text).quotes.get(length) ?? ""}"`))

/** A list in words: rows whose text is of a withheld kind are left out, and their kinds counted. */
const listPart = (rows: ReadonlyArray<Row> | undefined): PromptListPart | null =>
  rows === undefined
    ? null
    : {
        rows: rows.flatMap(
          (row): ReadonlyArray<PromptRow> =>
            withheldOf(row) === null ? [[rowText(row, LONGEST), rowText(row, SHORTER), rowText(row, SHORTEST)]] : [],
        ),
        unquoted: rows.flatMap((row) => withheldOf(row) ?? []),
      }

/** The parts of the prompt. Whatever a source wrote stands between double quotes, in its quotable form. */
export const promptParts = ({
  atMs,
  markets,
  earthquakes,
  launches,
  stories,
  predictions,
}: PromptFacts): PromptParts => ({
  minute: minuteText(atMs),
  policy: policyText(markets),
  rates: ratesText(markets),
  earthquakeCount: earthquakes?.count ?? null,
  lists: {
    predictions: listPart(predictions?.map(marketRow)),
    stories: listPart(stories?.map(storyRow)),
    launches: listPart(launches?.map(launchRow)),
    earthquakes: listPart(earthquakes?.rows.map(quakeRow)),
  },
})

const weekdays = ["Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday"]
const months = [
  ...["January", "February", "March", "April", "May", "June"],
  ...["July", "August", "September", "October", "November", "December"],
]

/** An instant to the minute in UTC: "2026-08-17 20:35". */
const minuteText = (ms: number): string => new Date(ms).toISOString().slice(0, 16).replace("T", " ")

/** An instant in words: "Monday, 17 August 2026, 20:35 UTC". */
export const readableText = (ms: number): string => {
  const at = new Date(ms)
  const date = `${at.getUTCDate()} ${months[at.getUTCMonth()]} ${at.getUTCFullYear()}`
  return `${weekdays[at.getUTCDay()]}, ${date}, ${minuteText(ms).slice(11)} UTC`
}

/** The time of a launch as exactly as it is known: a coarse one is a placeholder, of which only the period is true. */
export const launchTimeText = (net: string | null, precision: NetPrecision | null): string => {
  if (net === null) return "at an unknown time"
  const ms = Date.parse(net)
  const year = net.slice(0, 4)
  const month = new Date(ms).getUTCMonth()
  switch (precision) {
    case "second":
    case "minute":
      return `${minuteText(ms)} UTC`
    case "hour":
      return `about ${minuteText(ms)} UTC`
    case "day":
      return net.slice(0, 10)
    case "week":
      return `in the week of ${net.slice(0, 10)}`
    case "month":
      return `in ${net.slice(0, 7)}`
    case "quarter":
      return `in Q${Math.floor(month / 3) + 1} ${year}`
    case "half":
      return `in H${Math.floor(month / 6) + 1} ${year}`
    case "year":
      return `in ${year}`
    case null:
      return `not before ${net.slice(0, 10)}`
  }
}
