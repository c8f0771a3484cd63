import * as Schema from "effect/Schema"
import { volatile } from "../contract/annotations.ts"
import { endpoint } from "../contract/endpoint.ts"
import { itemWords, none, unknown } from "../contract/glance.ts"
import { choice } from "../contract/parameters.ts"
import { ranking } from "../contract/plot.ts"
import { Instant } from "../event.ts"
import { listFeed } from "../feed.ts"
import { HttpUrl, NonEmptyTextUpTo } from "../values.ts"

/** The revisions of the benchmark that are followed, the current one first. Their tasks differ: scores do not compare. */
export const harnessRevisions = ["4.0", "2.1"] as const
export const CURRENT_REVISION = harnessRevisions[0]
const Revision = Schema.Literals(harnessRevisions)
export type HarnessRevision = typeof Revision.Type

/** The page of a revision's board. */
export const boardPage = (revision: HarnessRevision): string =>
  `https://www.tbench.ai/leaderboard/terminal-bench/${revision}`

/** How many rows of a board are kept, the best ones. */
export const HARNESS_MAX_ROWS = 500
export const HARNESS_RANKING_MAX = 10
export const HARNESS_GAPS_SHOWN_MAX = 5
export const HARNESS_NAME_MAX_CHARACTERS = 120
export const EFFORT_MAX_CHARACTERS = 40

const Name = NonEmptyTextUpTo(HARNESS_NAME_MAX_CHARACTERS)
const Percent = Schema.Finite.check(Schema.isBetween({ minimum: 0, maximum: 100 }))
const Effort = Schema.NullOr(NonEmptyTextUpTo(EFFORT_MAX_CHARACTERS))
const Rank = Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 1_000_000 }))
const Cost = Schema.Finite.check(Schema.isBetween({ minimum: 0, maximum: 1e12 }))

/** The result of one harness with one model at one reasoning effort. */
export const HarnessScore = Schema.Struct({
  /** As the board has it: equal scores share a rank. Null where it gives none. */
  rank: Schema.NullOr(Rank),
  harness: Name,
  model: Name,
  reasoningEffort: Effort,
  /** Tasks that were solved, percent. */
  score: Percent,
  /** The interval of 95 % confidence around the score, clipped to 0 and 100; both null where the board gives none. */
  ciLow: Schema.NullOr(Percent),
  ciHigh: Schema.NullOr(Percent),
  /** Of all trials together. */
  tokens: Schema.NullOr(Schema.Natural),
  costUsd: Schema.NullOr(Cost),
})
export type HarnessScore = typeof HarnessScore.Type

const keyOf = ({ harness, model, reasoningEffort }: HarnessScore): string =>
  JSON.stringify([harness, model, reasoningEffort])

/** The highest score first. */
const byScore = (one: HarnessScore, other: HarnessScore): number =>
  other.score - one.score || (keyOf(one) < keyOf(other) ? -1 : 1)

export const harnesses = listFeed({
  name: "harnesses",
  description: "Scores of agent harnesses with models on Terminal-Bench, an instance for each revision, best first.",
  instances: harnessRevisions.map((revision) => ({ revision })),
  item: HarnessScore,
  facts: Schema.Struct({
    /** When the board was last read. */
    checkedAt: Instant,
  }),
  itemsMax: HARNESS_MAX_ROWS,
  key: keyOf,
  revision: ({ score, ciLow, ciHigh }) => JSON.stringify([score, ciLow, ciHigh]),
  order: byScore,
  mayBeEmpty: false,
})

const rowFields = {
  rank: Rank.annotate({ description: "Rank on the board; equal scores share one" }),
  harness: Name.annotate({ description: "The agent that works with the model" }),
  model: Name,
  reasoning_effort: Effort.annotate({ description: "Setting of the model; null where the board names none" }),
  score: Percent.annotate({ description: "Tasks that were solved, percent", unit: "percent" }),
  ci_low: HarnessScore.fields.ciLow.annotate({
    description: "Lower end of the 95 % interval, percent; null where the board gives no interval",
    unit: "percent",
  }),
  ci_high: HarnessScore.fields.ciHigh.annotate({
    description: "Upper end of the 95 % interval, percent",
    unit: "percent",
  }),
  tokens: HarnessScore.fields.tokens.annotate({ description: "Of all trials together" }),
  cost_usd: HarnessScore.fields.costUsd.annotate({ description: "Of all trials together, US dollars" }),
}
const Row = Schema.Struct(rowFields)

const Side = Schema.Struct({ harness: Name, reasoning_effort: Effort, score: Percent.annotate({ unit: "percent" }) })
const Gap = Schema.Struct({
  revision: Revision,
  model: Name,
  best: Side.annotate({ description: "The best harness, by its best score with the model" }),
  worst: Side.annotate({ description: "The harness whose best score with the model is the lowest" }),
  delta: Percent.annotate({
    description: "Difference of the two scores, percentage points",
    unit: "percentage points",
  }),
  overlap: Schema.NullOr(Schema.Boolean).annotate({
    description: "Whether the 95 % intervals overlap; null where one has none",
  }),
})
export type HarnessGap = typeof Gap.Type
const revisionsRead = Schema.Array(Revision).annotate({ description: "The revisions that were read" })

/** The words of the parameter `view`. */
export const harnessViews = ["raw", "summary", "gaps", "combined"] as const

const Raw = Schema.Struct({
  view: Schema.Literal("raw"),
  current: Revision,
  note: Schema.NonEmptyString,
  revisions: Schema.Array(
    Schema.Struct({
      revision: Revision,
      comparable: Schema.Literal(false).annotate({ description: "Scores compare within one revision only" }),
      checked_at: volatile(Instant.annotate({ description: "When the board was last read" })),
      source_url: HttpUrl.annotate({ description: "Page of the board" }),
      rows: Schema.Array(Row).check(Schema.isMaxLength(HARNESS_MAX_ROWS)),
    }),
  ).annotate({ description: "The boards that were read" }),
})
const Summary = Schema.Struct({
  view: Schema.Literal("summary"),
  revision: Revision,
  ranking: Schema.NullOr(Schema.Array(Row).check(Schema.isMaxLength(HARNESS_RANKING_MAX))).annotate({
    description: "The best rows of the current revision; null while it was never read",
  }),
  biggest_gaps: Schema.Array(Gap).check(Schema.isMaxLength(HARNESS_GAPS_SHOWN_MAX)),
  revisions_read: revisionsRead,
})
const Gaps = Schema.Struct({
  view: Schema.Literal("gaps"),
  gaps: Schema.Array(Gap)
    .check(Schema.isMaxLength(HARNESS_MAX_ROWS))
    .annotate({ description: "Models with two harnesses or more within a revision, the largest difference first" }),
  revisions_read: revisionsRead,
})
const Combined = Schema.Struct({
  view: Schema.Literal("combined"),
  revision: Revision,
  leaderboard: Schema.NullOr(
    Schema.Array(
      Schema.Struct({
        ...rowFields,
        normalized: Schema.NullOr(Percent).annotate({
          description: "100 x score / the highest score; null while all scores are 0",
          unit: "percent",
        }),
      }),
    ).check(Schema.isMaxLength(HARNESS_MAX_ROWS)),
  ).annotate({ description: "The current revision; null while it was never read" }),
})

/** The reply, by the parameter `view`. */
const Harnesses = Schema.Union([Raw, Summary, Gaps, Combined])
export type Harnesses = typeof Harnesses.Type

/** Explains the revisions, in the reply and in the description. */
export const HARNESS_NOTE =
  "Scores compare within one revision only: the tasks of 4.0 are others than those of 2.1. Intervals cover the differences from run to run, not the choice of tasks."

export const harnessesEndpoint = endpoint({
  path: "/api/harnesses",
  name: "harnesses",
  kind: "prepared",
  tier: "free",
  subject: "technology",
  ttl: "12 hours",
  summary: "Agent harnesses and models on Terminal-Bench, with 95 % intervals: two revisions",
  description: [
    "`raw`: the boards of both revisions; `summary`: the ten best of the current one, and the five largest gaps; `gaps`: how",
    "far harnesses are apart with the same model; `combined`: the current board, relative to its best score.",
    HARNESS_NOTE,
  ].join(" "),
  parameters: {
    view: choice(harnessViews, { default: "raw", description: "Which view of the boards" }),
  },
  // A row for each harness and model, beside its board.
  table: { unnest: { revisions: "rows" } },
  data: Harnesses,
  changes: [
    {
      feed: harnesses,
      without: ["rank"],
      title: ({ harness, model, reasoning_effort, score }) => itemWords(harness, model, reasoning_effort, score),
    },
  ],
  glance: {
    title: "Agent harnesses",
    plots: (data) =>
      data.view === "raw"
        ? data.revisions.map(({ revision, rows }) =>
            ranking(
              `Score on Terminal-Bench ${revision}`,
              "%",
              rows.map(({ harness, model, score }) => ({ label: harness, value: score, note: model })),
            ),
          )
        : [],
    headline: (data) => {
      if (data.view !== "raw") return unknown("This view has no board")
      const board = data.revisions.find(({ revision }) => revision === data.current)
      if (board === undefined) return unknown(`The board of Terminal-Bench ${data.current} was not read yet`)
      const [best] = board.rows
      return best === undefined
        ? none(`No result on Terminal-Bench ${data.current}`)
        : {
            value: best.score,
            unit: "%",
            note: `${best.harness} with ${best.model}, best on Terminal-Bench ${data.current}`,
          }
    },
  },
  example: {
    view: "raw",
    current: "4.0",
    note: HARNESS_NOTE,
    revisions: [
      {
        revision: "4.0",
        comparable: false,
        checked_at: "2026-08-17T20:33:00.000Z",
        source_url: boardPage("4.0"),
        rows: [
          {
            rank: 1,
            harness: "Lantern Code",
            model: "Meridian 6",
            reasoning_effort: "high",
            score: 51.52,
            ci_low: 48.4,
            ci_high: 54.64,
            tokens: 1_802_337_510,
            cost_usd: 3120.4,
          },
        ],
      },
    ],
  },
})
