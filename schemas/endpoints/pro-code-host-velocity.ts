import * as Schema from "effect/Schema"
import { endpoint } from "../contract/endpoint.ts"
import type { Selection } from "../contract/endpoint-kinds.ts"
import { WITHHELD_NOTE } from "../contract/provenance.ts"
import { REPOSITORIES_MAX } from "../feeds/repositories.ts"
import { nullNotes } from "../null-notes.ts"
import { aiMlTerms } from "../published/ai-ml-terms.ts"
import { RepositoryRow } from "./code-host-trending.ts"

/** How many active repositories about LLMs are shown. */
export const AI_ML_REPOSITORIES_SHOWN_MAX = 15
/** How many topics are shown. */
export const VELOCITY_TOPICS_SHOWN_MAX = 20

/** One repository of the reply. */
export const VelocityRow = Schema.Struct({
  ...RepositoryRow.fields,
  age_days: Schema.Finite.check(Schema.isGreaterThanOrEqualTo(0)).annotate({ description: "Days since its creation" }),
  is_ai_ml: Schema.Boolean.annotate({ description: "About AI or machine learning, by the published list of terms" }),
})
export type VelocityRow = typeof VelocityRow.Type

const Count = Schema.NullOr(Schema.Natural)

/** The data of a reply. What is made of a set that was never read is null. */
export const ProCodeHostVelocity = Schema.Struct({
  window: Schema.Literal("7d").annotate({ description: "How long ago the trending repositories were created at most" }),
  trending_repos: Schema.NullOr(Schema.Array(VelocityRow).check(Schema.isMaxLength(REPOSITORIES_MAX))).annotate({
    description: "Created within seven days, the most stars first",
  }),
  ai_ml_repos_active_30d: Schema.NullOr(
    Schema.Array(VelocityRow).check(Schema.isMaxLength(AI_ML_REPOSITORIES_SHOWN_MAX)),
  ).annotate({ description: "Under the topic llm, pushed to within 30 days, the most stars first" }),
  by_language: Schema.NullOr(
    Schema.Array(
      Schema.Struct({ language: Schema.NonEmptyString, count: Schema.Natural, total_stars: Schema.Natural }),
    ).check(Schema.isMaxLength(REPOSITORIES_MAX)),
  ).annotate({
    description: "Main languages of the trending repositories; none where a repository states no language",
  }),
  by_topic: Schema.NullOr(
    Schema.Array(Schema.Struct({ topic: Schema.NonEmptyString, count: Schema.Natural })).check(
      Schema.isMaxLength(VELOCITY_TOPICS_SHOWN_MAX),
    ),
  ).annotate({ description: "Topics of the trending repositories, also those that their rows leave out" }),
  aggregate: Schema.Struct({
    trending_count: Count,
    total_stars: Count.annotate({ description: "Stars of the trending repositories" }),
    ai_ml_in_trending_count: Count,
    ai_ml_share_pct: Schema.NullOr(Schema.Finite.check(Schema.isBetween({ minimum: 0, maximum: 100 }))).annotate({
      description: "Share of repositories about AI or machine learning among the trending ones, percent, one decimal",
    }),
    ai_ml_active_30d_count: Count.annotate({ description: "How many are listed in ai_ml_repos_active_30d" }),
    languages: Count.annotate({ description: "Different languages of the trending repositories, none not counted" }),
  }),
  sample_size: Schema.Record(Schema.String, Schema.Natural).annotate({
    description: "Number of repositories behind each set; a set that was never read is left out",
  }),
  notes: Schema.Record(Schema.String, Schema.String).annotate({
    description: "Explanation of the parts, and of each null member by its path",
  }),
})
export type ProCodeHostVelocity = typeof ProCodeHostVelocity.Type

/** The explanations that stand in every reply. */
export const velocityNotes = {
  is_ai_ml: `Name, description or a topic holds one of these terms in whole words: ${aiMlTerms.join(", ")}.`,
  stars_per_day: "Stars by days since the creation, at least one day, up to the newest time of the search's answer.",
  trending_repos: "At most 30 of GitHub's search; the host's search finds what its index holds.",
  by_topic: "All topics of a repository count, up to twenty; its row shows ten.",
} as const

const NEVER_READ = "No search has succeeded yet."

/** Why members may be null, by their path. */
export const velocityNullReasons: Readonly<Record<string, string>> = {
  trending_repos: NEVER_READ,
  ai_ml_repos_active_30d: NEVER_READ,
  by_language: NEVER_READ,
  by_topic: NEVER_READ,
  aggregate: NEVER_READ,
  ...Object.fromEntries(
    ["trending_repos[]", "ai_ml_repos_active_30d[]"].flatMap((rows) => [
      [`${rows}.description`, "The owner gives no description."],
      [`${rows}.language`, "GitHub recognises no main language."],
      [`${rows}.license`, "There is no licence, or none that GitHub recognises."],
      [`${rows}.open_issues`, "The answer has no readable number of issues."],
    ]),
  ),
}

/** The data before either set was read. */
const unread = {
  window: "7d",
  trending_repos: null,
  ai_ml_repos_active_30d: null,
  by_language: null,
  by_topic: null,
  aggregate: {
    trending_count: null,
    total_stars: null,
    ai_ml_in_trending_count: null,
    ai_ml_share_pct: null,
    ai_ml_active_30d_count: null,
    languages: null,
  },
} as const

/** The inputs of the view, with the member of `sample_size` that each fills. */
const inputSamples = { trending: "trending", active: "ai_ml_active_30d" } as const
type VelocityInput = keyof typeof inputSamples

/** Whether an input fills a member, by its path. */
const fills = (input: VelocityInput, path: string): boolean => {
  const isActive = path.startsWith("ai_ml_repos_active_30d") || path === "aggregate.ai_ml_active_30d_count"
  return (input === "active") === isActive
}

/** Everything but what a withheld set of repositories fills: that is null. */
const selectVelocity = (
  full: ProCodeHostVelocity,
  _: object,
  withheld: ReadonlySet<string>,
): Selection<ProCodeHostVelocity> => {
  // The keys of a constant are its names.
  const inputs = (Object.keys(inputSamples) as ReadonlyArray<VelocityInput>).filter((input) => !withheld.has(input))
  if (inputs.length === 2) return { data: full, inputs }
  const isServed = (path: string): boolean => inputs.some((input) => fills(input, path))
  const { sample_size, notes: _notes, ...members } = full
  const shown: typeof members = {
    ...unread,
    ...(inputs.includes("active")
      ? {
          ai_ml_repos_active_30d: members.ai_ml_repos_active_30d,
          aggregate: { ...unread.aggregate, ai_ml_active_30d_count: members.aggregate.ai_ml_active_30d_count },
        }
      : {}),
    ...(inputs.includes("trending")
      ? {
          trending_repos: members.trending_repos,
          by_language: members.by_language,
          by_topic: members.by_topic,
          aggregate: { ...members.aggregate, ai_ml_active_30d_count: null },
        }
      : {}),
  }
  return {
    data: {
      ...shown,
      sample_size: Object.fromEntries(
        inputs.flatMap((input): ReadonlyArray<[string, number]> => {
          const size = sample_size[inputSamples[input]]
          return size === undefined ? [] : [[inputSamples[input], size]]
        }),
      ),
      notes: {
        ...velocityNotes,
        ...Object.fromEntries(
          Object.entries(nullNotes(shown, velocityNullReasons)).map(([path, why]) => [
            path,
            isServed(path) ? why : WITHHELD_NOTE,
          ]),
        ),
      },
    },
    inputs,
  }
}

const exampleRow: VelocityRow = {
  name: "heron",
  full_name: "petrel-labs/heron",
  description: "Watches tide gauges with a small language model",
  language: "Rust",
  stars: 1240,
  stars_per_day: 310,
  forks: 61,
  open_issues: 14,
  topics: ["llm", "oceanography"],
  license: "MIT",
  owner: "petrel-labs",
  owner_type: "Organization",
  created_at: "2026-08-13T09:12:44.000Z",
  pushed_at: "2026-08-17T08:30:01.000Z",
  url: "https://github.com/petrel-labs/heron",
  age_days: 4,
  is_ai_ml: true,
}

export const proCodeHostVelocityEndpoint = endpoint({
  path: "/api/pro/code-host-velocity",
  name: "pro_code_host_velocity",
  kind: "filtered",
  tier: "premium",
  subject: "technology",
  credits: 2,
  ttl: "30 minutes",
  summary: "How fast new repositories gain stars, and which of them are about AI",
  description: [
    "The 30 repositories of GitHub that were created within seven days and have the most stars, with stars per day and",
    "age; the 15 most starred under the topic llm that were pushed to within 30 days; languages, topics and the share of",
    "AI and machine learning among the trending ones. Descriptions and topics are texts of their owners.",
  ].join(" "),
  parameters: {},
  data: ProCodeHostVelocity,
  cold: { ...unread, sample_size: {}, notes: { ...velocityNotes, ...nullNotes(unread, velocityNullReasons) } },
  select: selectVelocity,
  example: {
    window: "7d",
    trending_repos: [exampleRow],
    ai_ml_repos_active_30d: [exampleRow],
    by_language: [{ language: "Rust", count: 1, total_stars: 1240 }],
    by_topic: [
      { topic: "llm", count: 1 },
      { topic: "oceanography", count: 1 },
    ],
    aggregate: {
      trending_count: 1,
      total_stars: 1240,
      ai_ml_in_trending_count: 1,
      ai_ml_share_pct: 100,
      ai_ml_active_30d_count: 1,
      languages: 1,
    },
    sample_size: { trending: 1, ai_ml_active_30d: 1 },
    notes: velocityNotes,
  },
})
