import {
  codeHostTrendingEndpoint,
  type RepositoryRow,
  TOPICS_SHOWN_MAX,
  TRENDING_REPOSITORIES_SHOWN_MAX,
} from "../../schemas/endpoints/code-host-trending.ts"
import { type Repository, repositories } from "../../schemas/feeds/repositories.ts"
import { rounded } from "../../schemas/number.ts"
import { changesOf, from, view } from "../view/view.ts"

const DAY_MS = 86_400_000

/** A repository as replies show it, without what depends on the time of an answer. */
const repositoryRow = (item: Repository) => {
  const [owner = "", name = ""] = item.fullName.split("/")
  return {
    name,
    full_name: item.fullName,
    description: item.description,
    language: item.language,
    stars: item.stars,
    forks: item.forks,
    open_issues: item.openIssues,
    topics: item.topics.slice(0, TOPICS_SHOWN_MAX),
    license: item.licence,
    owner,
    owner_type: item.ownerType,
    created_at: item.createdAt,
    pushed_at: item.pushedAt,
    url: `https://github.com/${item.fullName}`,
  }
}

/** Repositories as replies show them. Their age is counted up to `asOf`, the time of the answer that they stand in. */
export const repositoryRows = (items: ReadonlyArray<Repository>, asOf: string): ReadonlyArray<RepositoryRow> =>
  items.map((item) => {
    const ageDays = Math.max((Date.parse(asOf) - Date.parse(item.createdAt)) / DAY_MS, 1)
    return { ...repositoryRow(item), stars_per_day: rounded(item.stars / ageDays, 1) }
  })

/** The set that is served free of charge. */
const TRENDING = { set: "trending" }

export default view({
  endpoint: codeHostTrendingEndpoint,
  reads: { trending: from(repositories, TRENDING) },
  changes: [
    changesOf(repositories, (item, { parameters }) => (parameters.set === TRENDING.set ? repositoryRow(item) : null)),
  ],
  build: ({
    trending: {
      payload: { items, facts },
    },
  }) => {
    const rows = repositoryRows(items.slice(0, TRENDING_REPOSITORIES_SHOWN_MAX), facts.asOf)
    return { count: rows.length, window: "7d" as const, repositories: rows }
  },
})
