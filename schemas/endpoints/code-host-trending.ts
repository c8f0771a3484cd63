import * as Schema from "effect/Schema"
import { endpoint } from "../contract/endpoint.ts"
import { clause, counted, itemWords, none } from "../contract/glance.ts"
import { ranking } from "../contract/plot.ts"
import { Repository, repositories } from "../feeds/repositories.ts"
import { HttpUrl } from "../values.ts"

/** How many repositories are shown. */
export const TRENDING_REPOSITORIES_SHOWN_MAX = 25
/** How many topics of a repository are shown. */
export const TOPICS_SHOWN_MAX = 10

const { fullName, ownerType, description, language, licence, stars, forks, openIssues, createdAt, pushedAt, topics } =
  Repository.fields

/** One repository as replies state it. */
export const RepositoryRow = Schema.Struct({
  name: Schema.NonEmptyString,
  full_name: fullName.annotate({ description: "Owner and name" }),
  description,
  language: language.annotate({ description: "Main programming language" }),
  stars,
  stars_per_day: Schema.Finite.annotate({ description: "Stars by days since its creation, at least one day" }),
  forks,
  open_issues: openIssues.annotate({ description: "Issues and pull requests" }),
  topics: topics.check(Schema.isMaxLength(TOPICS_SHOWN_MAX)),
  license: licence.annotate({ description: "By SPDX; null without one that the host recognises" }),
  owner: Schema.NonEmptyString,
  owner_type: ownerType.annotate({ description: "User or Organization" }),
  created_at: createdAt,
  pushed_at: pushedAt,
  url: HttpUrl,
})
export type RepositoryRow = typeof RepositoryRow.Type

export const codeHostTrendingEndpoint = endpoint({
  path: "/api/code-host-trending",
  name: "code_host_trending",
  kind: "prepared",
  tier: "free",
  subject: "technology",
  ttl: "5 minutes",
  summary: "Trending repositories: those created in the last 7 days with the most stars",
  description: [
    "At most 25 public repositories of GitHub that were created within the last seven days, the most stars first.",
    "Descriptions and topics are texts of their owners. What a repository does not state is null.",
  ].join(" "),
  parameters: {},
  data: Schema.Struct({
    count: Schema.Natural.annotate({ description: "How many repositories are listed" }),
    window: Schema.Literal("7d").annotate({ description: "How long ago the repositories were created at most" }),
    repositories: Schema.Array(RepositoryRow).check(Schema.isMaxLength(TRENDING_REPOSITORIES_SHOWN_MAX)),
  }),
  changes: [
    {
      feed: repositories,
      without: ["stars_per_day"],
      title: ({ full_name, description }) => itemWords(full_name, description),
    },
  ],
  glance: {
    title: "Trending repository",
    plots: ({ repositories }) => [
      ranking(
        "Stars within 7 days",
        null,
        repositories.map(({ full_name, stars }) => ({ label: full_name, value: stars })),
      ),
    ],
    headline: ({ repositories: [first] }) => {
      if (first === undefined) return none("No repository is listed")
      const { full_name, stars, language, description } = first
      return {
        value: full_name,
        unit: null,
        note: clause(`${counted(stars, "star")} within 7 days`, language, description),
      }
    },
  },
  example: {
    count: 1,
    window: "7d",
    repositories: [
      {
        name: "heron",
        full_name: "petrel-labs/heron",
        description: "Watches tide gauges from the command line",
        language: "Rust",
        stars: 1240,
        stars_per_day: 310,
        forks: 61,
        open_issues: 14,
        topics: ["cli", "oceanography"],
        license: "MIT",
        owner: "petrel-labs",
        owner_type: "Organization",
        created_at: "2026-08-13T09:12:44.000Z",
        pushed_at: "2026-08-17T08:30:01.000Z",
        url: "https://github.com/petrel-labs/heron",
      },
    ],
  },
})
