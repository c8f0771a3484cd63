import * as Schema from "effect/Schema"
import { Instant } from "../event.ts"
import { listFeed, type Parameters } from "../feed.ts"
import { NonEmptyTextUpTo } from "../values.ts"

/** How many repositories of a set are kept, those with the most stars. */
export const REPOSITORIES_MAX = 30
export const REPOSITORY_DESCRIPTION_MAX_CHARACTERS = 280
export const REPOSITORY_WORD_MAX_CHARACTERS = 60
/** GitHub allows twenty topics. */
export const REPOSITORY_TOPICS_MAX = 20

/** The sets of repositories that are followed, and the days that their windows reach back from the day of a poll. */
export const repositorySets = {
  /** Created within the window. */
  trending: { windowDays: 7 },
  /** Under the topic `llm`, with a push within the window. */
  llm: { windowDays: 30 },
} as const

export type RepositorySet = keyof typeof repositorySets
// The keys of a constant are its names.
const setNames = Object.keys(repositorySets) as ReadonlyArray<RepositorySet>

/** The set of an instance. Throws for an instance that is none of the feed's. */
export const repositorySetOf = ({ set }: Parameters): RepositorySet => {
  const name = setNames.find((one) => one === set)
  if (name === undefined) throw new TypeError("not a set of repositories")
  return name
}

/** Owner and name, as addresses of the host hold them. */
const FULL_NAME = /^[\w-]{1,60}\/(?!\.\.?$)[\w.-]{1,100}$/

const Count = Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 2 ** 32 - 1 }))
const Word = NonEmptyTextUpTo(REPOSITORY_WORD_MAX_CHARACTERS)

/** One public repository, as the search has it. */
export const Repository = Schema.Struct({
  /** Such as "daniel-e/tetros". */
  fullName: Schema.String.check(Schema.isPattern(FULL_NAME)),
  /** User or Organization. */
  ownerType: Word,
  description: Schema.NullOr(NonEmptyTextUpTo(REPOSITORY_DESCRIPTION_MAX_CHARACTERS)),
  /** The main programming language. */
  language: Schema.NullOr(Word),
  topics: Schema.Array(Word).check(Schema.isMaxLength(REPOSITORY_TOPICS_MAX)),
  /** By SPDX; null where there is none, or none that the host recognises. */
  licence: Schema.NullOr(Word),
  stars: Count,
  forks: Count,
  /** Issues and pull requests. */
  openIssues: Schema.NullOr(Count),
  createdAt: Instant,
  pushedAt: Instant,
})
export type Repository = typeof Repository.Type

export const repositories = listFeed({
  name: "repositories",
  description: "Repositories of GitHub with the most stars, a set in each instance: created lately, and about LLMs.",
  instances: setNames.map((set) => ({ set })),
  item: Repository,
  facts: Schema.Struct({
    /** The newest time in the answer, by which the age of a repository is counted. */
    asOf: Instant,
  }),
  itemsMax: REPOSITORIES_MAX,
  keepsFirst: true,
  key: ({ fullName }) => fullName,
  revision: ({ stars, forks, pushedAt }) => JSON.stringify([stars, forks, pushedAt]),
  order: (one, other) => other.stars - one.stars || (one.fullName < other.fullName ? -1 : 1),
  happenedAt: ({ createdAt, pushedAt }) => (createdAt > pushedAt ? createdAt : pushedAt),
  mayBeEmpty: false,
  contentAgeMax: "24 hours",
})
