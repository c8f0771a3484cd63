import * as Schema from "effect/Schema"
import type { Selection } from "../contract/endpoint-kinds.ts"
import { WITHHELD_NOTE } from "../contract/provenance.ts"
import { nullNotes } from "../null-notes.ts"
import { PROMPT_MAX_CHARACTERS, type PromptParts, promptLists, promptOf } from "./context-prompt.ts"
import { infrastructureOf, serviceKeys, WorldContext } from "./world-context.ts"

/** Characters of a token, as estimates count them. */
const CHARACTERS_PER_TOKEN = 4

/** The inputs of the view, with their names as the prompt lists those that are unknown or stale. */
const contextInputNames = {
  policy: "policy rate",
  rates: "exchange rates",
  quakes: "earthquakes",
  flights: "launches",
  frontPage: "tech front page",
  markets: "prediction markets",
  github: "status of GitHub",
  cloudflare: "status of Cloudflare",
  openai: "status of OpenAI",
  anthropic: "status of Anthropic",
} as const
export type ContextInput = keyof typeof contextInputNames
// The keys of a constant are its names.
export const contextInputs = Object.keys(contextInputNames) as ReadonlyArray<ContextInput>

/** The data of a reply. */
export const ProAgentContext = Schema.Struct({
  context: WorldContext,
  system_prompt: Schema.NullOr(
    Schema.NonEmptyString.check(Schema.isMaxLength(PROMPT_MAX_CHARACTERS)).annotate({
      description: "Seven lines to be pasted into the context of a language model as they stand",
    }),
  ),
  sample_size: Schema.Record(Schema.String, Schema.Natural).annotate({
    description: "Number of items behind each part; parts that were never read are left out",
  }),
  notes: Schema.Record(Schema.String, Schema.String).annotate({
    description: "Explanation of the parts, and of each null member by its path",
  }),
})
export type ProAgentContext = typeof ProAgentContext.Type

/** What the view builds: the context of all inputs, and the prompt in parts. */
export interface ProAgentContextFull {
  readonly context: WorldContext
  /** Null before any feed has answered. */
  readonly prompt: PromptParts | null
  readonly unknownOrStale: ReadonlyArray<ContextInput>
  readonly read: ReadonlyArray<ContextInput>
  /** Number of items behind each input that is a list; none while it was never read. */
  readonly counts: Readonly<Partial<Record<ContextInput, number>>>
}

/** The note of a part that was never read. */
const NEVER_READ = "No poll has succeeded yet."

/** Why members may be null, by their path. */
const nullReasons: Readonly<Record<string, string>> = {
  "context.datetime": "No feed has answered yet.",
  system_prompt: "No feed has answered yet.",
  "context.markets.fed_funds_rate": "The series has no number yet.",
  "context.markets.forex_usd_base": "There is no rate of that day yet.",
  "context.world_events.significant_earthquakes_24h[]": "The agency has not stated it yet.",
  "context.world_events.upcoming_space_launches[]": "The catalogue does not state it.",
  "context.world_events.tech_news_front_page_top5[]": "The site does not state it.",
  "context.world_events.prediction_markets_top3[].yes_probability":
    "The answers are not Yes and No, or have no price yet.",
  "context.world_events.prediction_markets_top3[]": "The provider does not state it.",
}

/** The member that each input fills. */
const memberOf: Readonly<Record<ContextInput, string>> = {
  policy: "context.markets.fed_funds_rate",
  rates: "context.markets.forex_usd_base",
  quakes: "context.world_events.significant_earthquakes_24h",
  flights: "context.world_events.upcoming_space_launches",
  frontPage: "context.world_events.tech_news_front_page_top5",
  markets: "context.world_events.prediction_markets_top3",
  github: "context.infrastructure.details.github",
  cloudflare: "context.infrastructure.details.cloudflare",
  openai: "context.infrastructure.details.openai",
  anthropic: "context.infrastructure.details.anthropic",
}

/** The inputs whose members are null, and no list or word, where they were never read. */
const areNull: ReadonlySet<ContextInput> = new Set(["policy", "rates"])

/** The name of each list's count in `sample_size`. */
const countNames: Readonly<Partial<Record<ContextInput, string>>> = {
  quakes: "earthquakes",
  flights: "launches",
  frontPage: "stories",
  markets: "markets",
}

const NO_RATES: WorldContext["markets"]["forex_usd_base"] = { date: null, EUR: null, JPY: null, GBP: null, CHF: null }

const promptNotes = (text: string | null, parts: PromptParts | null): Readonly<Record<string, string>> => {
  if (text === null || parts === null) return {}
  const unquoted = promptLists.toReversed().flatMap((name) => parts.lists[name]?.unquoted ?? [])
  const kinds = [...new Set(unquoted)].sort().join(", ")
  const rows = unquoted.length === 1 ? "1 row is" : `${unquoted.length} rows are`
  return {
    system_prompt: [
      `Estimated at ${Math.round(text.length / CHARACTERS_PER_TOKEN)} tokens: ${text.length} characters / ${CHARACTERS_PER_TOKEN}.`,
      "Tokenizers count up to a third more, as it holds many numbers, and more still for other scripts than Latin.",
    ].join(" "),
    withheld: `${rows} not quoted in system_prompt${kinds === "" ? "" : ` (${kinds})`}.`,
  }
}

/** Makes the reply of the view's data without the inputs that are withheld: in the prompt these are unknown. */
export const selectAgentContext = (
  full: ProAgentContextFull,
  _: object,
  withheld: ReadonlySet<string>,
): Selection<ProAgentContext> => {
  const inputs = contextInputs.filter((input) => !withheld.has(input))
  const isServed = (input: ContextInput): boolean => inputs.includes(input)
  const { markets, world_events: events, infrastructure } = full.context
  const details = infrastructure.details
  const context: WorldContext = {
    datetime: inputs.length === 0 ? null : full.context.datetime,
    markets: {
      fed_funds_rate: isServed("policy") ? markets.fed_funds_rate : null,
      forex_usd_base: isServed("rates") ? markets.forex_usd_base : NO_RATES,
    },
    world_events: {
      significant_earthquakes_24h: isServed("quakes") ? events.significant_earthquakes_24h : [],
      upcoming_space_launches: isServed("flights") ? events.upcoming_space_launches : [],
      tech_news_front_page_top5: isServed("frontPage") ? events.tech_news_front_page_top5 : [],
      prediction_markets_top3: isServed("markets") ? events.prediction_markets_top3 : [],
    },
    infrastructure: infrastructureOf({
      github: isServed("github") ? details.github : "unknown",
      cloudflare: isServed("cloudflare") ? details.cloudflare : "unknown",
      openai: isServed("openai") ? details.openai : "unknown",
      anthropic: isServed("anthropic") ? details.anthropic : "unknown",
    }),
  }
  const parts: PromptParts | null =
    full.prompt === null || inputs.length === 0
      ? null
      : {
          minute: full.prompt.minute,
          policy: isServed("policy") ? full.prompt.policy : null,
          rates: isServed("rates") ? full.prompt.rates : null,
          earthquakeCount: isServed("quakes") ? full.prompt.earthquakeCount : null,
          lists: {
            earthquakes: isServed("quakes") ? full.prompt.lists.earthquakes : null,
            launches: isServed("flights") ? full.prompt.lists.launches : null,
            stories: isServed("frontPage") ? full.prompt.lists.stories : null,
            predictions: isServed("markets") ? full.prompt.lists.predictions : null,
          },
        }
  const unknownOrStale = contextInputs
    .filter((input) => !isServed(input) || full.unknownOrStale.includes(input))
    .map((input) => contextInputNames[input])
  const text =
    parts === null ? null : promptOf(parts, { infrastructure: context.infrastructure.summary, unknownOrStale })
  const data = { context, system_prompt: text }
  const reasons = {
    ...nullReasons,
    ...Object.fromEntries(contextInputs.flatMap((one) => (isServed(one) ? [] : [[memberOf[one], WITHHELD_NOTE]]))),
    ...(inputs.length === 0 ? { "context.datetime": WITHHELD_NOTE, system_prompt: WITHHELD_NOTE } : {}),
  }
  const unread = inputs.filter((input) => !full.read.includes(input) && !areNull.has(input))
  return {
    data: {
      ...data,
      sample_size: {
        ...Object.fromEntries(
          inputs.flatMap((input): ReadonlyArray<[string, number]> => {
            const [name, count] = [countNames[input], full.counts[input]]
            return name === undefined || count === undefined ? [] : [[name, count]]
          }),
        ),
        services: serviceKeys.filter((service) => isServed(service) && full.read.includes(service)).length,
      },
      notes: {
        ...promptNotes(text, parts),
        ...Object.fromEntries(unread.map((input) => [memberOf[input], NEVER_READ])),
        ...Object.fromEntries(
          contextInputs.flatMap((one) => (isServed(one) || areNull.has(one) ? [] : [[memberOf[one], WITHHELD_NOTE]])),
        ),
        ...nullNotes(data, reasons),
      },
    },
    inputs,
  }
}
