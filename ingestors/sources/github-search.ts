import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import { dayOf } from "../../schemas/day.ts"
import { instant } from "../../schemas/event.ts"
import {
  REPOSITORIES_MAX,
  REPOSITORY_DESCRIPTION_MAX_CHARACTERS,
  REPOSITORY_TOPICS_MAX,
  REPOSITORY_WORD_MAX_CHARACTERS,
  type RepositorySet,
  repositories,
  repositorySetOf,
  repositorySets,
} from "../../schemas/feeds/repositories.ts"
import { type CollectFailed, document, UpstreamError } from "../document.ts"
import { notOurs, type ReadContext, unreadable } from "../poll/read.ts"
import { github } from "../providers/github.ts"
import { isAhead } from "../readers/instants.ts"
import { within } from "../readers/numbers.ts"
import { cleanTextOrNull } from "../readers/text.ts"
import { IsoTime, maybe } from "../readers/wire.ts"
import { listSource } from "../source.ts"
import { termsOf } from "../terms.ts"

/** https://docs.github.com/en/rest/search/search#search-repositories Older versions lack `topics`. */
export const Repository = Schema.Struct({
  full_name: Schema.String,
  private: maybe(Schema.Boolean),
  owner: Schema.Struct({ type: Schema.String }),
  description: maybe(Schema.String),
  language: maybe(Schema.String),
  topics: maybe(Schema.Array(Schema.String)),
  license: maybe(Schema.Struct({ spdx_id: maybe(Schema.String) })),
  stargazers_count: Schema.Int,
  forks_count: Schema.Int,
  open_issues_count: maybe(Schema.Int),
  created_at: IsoTime,
  pushed_at: IsoTime,
})
/** `updated_at` moves with each star. */
const Times = Schema.Struct({ updated_at: maybe(IsoTime), pushed_at: maybe(IsoTime) })

/** `incomplete_results`: the search ran out of time; the repositories that it found are true all the same. */
const Found = Schema.Struct({ incomplete_results: Schema.Boolean, items: Schema.Array(Schema.Unknown) })
/** Status 403: over the rate limit, or the token is refused. */
const Refusal = Schema.Struct({ message: Schema.String })

interface Search {
  readonly set: RepositorySet
  /** First day of the window. */
  readonly since: string
  readonly key: string | null
}

const queries: Readonly<Record<RepositorySet, (since: string) => string>> = {
  trending: (since) => `created:>=${since}`,
  llm: (since) => `topic:llm pushed:>=${since}`,
}

const search = document({
  format: "json",
  wire: Schema.Union([Found, Refusal]),
  acceptedStatuses: [403],
  url: ({ set, since }: Search) =>
    `https://api.github.com/search/repositories?q=${encodeURIComponent(queries[set](since))}&sort=stars&order=desc&per_page=${REPOSITORIES_MAX}`,
  headers: ({ key }: Search): Readonly<Record<string, string>> => ({
    accept: "application/vnd.github+json",
    ...(key === null ? {} : { authorization: `Bearer ${key}` }),
  }),
})

const RATE_LIMIT = /rate limit|abuse/i
const DAY_MS = 86_400_000

const refusalOf = ({ message }: typeof Refusal.Type): UpstreamError =>
  RATE_LIMIT.test(message)
    ? new UpstreamError({ message: "the search refuses more requests for now" })
    : new UpstreamError({ message: "the search refuses the request", reason: "key_refused" })

/** The newest time of any row that does not lie in the future; null without one. */
const newestMs = (rows: ReadonlyArray<unknown>, observedAtMs: number): number | null => {
  const times = rows
    .flatMap((row) => Option.toArray(Schema.decodeUnknownOption(Times)(row)))
    .flatMap(({ updated_at, pushed_at }) => [updated_at ?? 0, pushed_at ?? 0])
    .filter((ms) => ms > 0 && !isAhead(instant(ms), observedAtMs))
  return times.length === 0 ? null : Math.max(...times)
}

/** A row, and the time of the answer that it stands in. */
const Row = Schema.Struct({ repository: Repository, asOfMs: Schema.Finite })
type Row = typeof Row.Type

/** Whether a repository is of the requested set: one day is added as windows begin at midnight, and one as clocks differ. */
const isOfSet = ({ repository, asOfMs }: Row, set: RepositorySet): boolean => {
  const sinceMs = asOfMs - (repositorySets[set].windowDays + 2) * DAY_MS
  return set === "trending"
    ? repository.created_at >= sinceMs
    : repository.pushed_at >= sinceMs && (repository.topics ?? []).includes("llm")
}

const word = (text: string | null | undefined): string | null => cleanTextOrNull(text, REPOSITORY_WORD_MAX_CHARACTERS)

/** The host's word for a licence that it does not recognise. */
const NO_ASSERTION = "NOASSERTION"

const toItem = (row: Row, { parameters }: ReadContext) => {
  const { repository } = row
  // With a token the search also finds what only its owner may see.
  if (repository.private === true) return notOurs
  if (!isOfSet(row, repositorySetOf(parameters))) return unreadable("it is not of the set that was asked for")
  const ownerType = word(repository.owner.type)
  if (ownerType === null) return unreadable("its owner has no type")
  const licence = word(repository.license?.spdx_id)
  return {
    fullName: repository.full_name,
    ownerType,
    description: cleanTextOrNull(repository.description, REPOSITORY_DESCRIPTION_MAX_CHARACTERS),
    language: word(repository.language),
    topics: (repository.topics ?? []).flatMap((topic) => word(topic) ?? []).slice(0, REPOSITORY_TOPICS_MAX),
    licence: licence === NO_ASSERTION ? null : licence,
    stars: repository.stargazers_count,
    forks: repository.forks_count,
    openIssues: within(repository.open_issues_count, 0, 2 ** 32 - 1),
    createdAt: instant(repository.created_at),
    pushedAt: instant(repository.pushed_at),
  }
}

export default listSource({
  name: "github-search",
  provider: (parameters) => `GitHub.repositories_${repositorySetOf(parameters)}`,
  fills: repositories,
  every: "5 minutes",
  access: github,
  documents: { search },
  collect: (upstream, { parameters, observedAtMs, key }): Effect.Effect<typeof Found.Type, CollectFailed> => {
    const set = repositorySetOf(parameters)
    const since = dayOf(observedAtMs - repositorySets[set].windowDays * DAY_MS)
    return Effect.flatMap(upstream.fetch(search, { set, since, key }), (answer) =>
      "items" in answer ? Effect.succeed(answer) : Effect.fail(refusalOf(answer)),
    )
  },
  rows: ({ items }, { observedAtMs }) => {
    const asOfMs = newestMs(items, observedAtMs)
    return items.map((repository) => ({ repository, asOfMs }))
  },
  row: Row,
  toItem,
  facts: ({ items }, _, { observedAtMs }) => {
    const asOfMs = newestMs(items, observedAtMs)
    return asOfMs === null ? new UpstreamError({ message: "the answer has no time" }) : { asOf: instant(asOfMs) }
  },
  contentAtMs: ({ items }, _, { observedAtMs }) => newestMs(items, observedAtMs),
  attribution: {
    provider: "GitHub search",
    licence: "GitHub terms of service; each repository has a licence of its own",
    url: "https://docs.github.com/en/rest/search/search",
  },
  terms: termsOf({
    use: "provider",
    url: "https://docs.github.com/en/site-policy/github-terms/github-terms-of-service#h-api-terms",
  }),
})
