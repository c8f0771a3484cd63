import { repositories, repositorySetOf } from "../../../schemas/feeds/repositories.ts"
import { monthOf, table } from "../../table.ts"

export default table({
  name: "repositories",
  feed: repositories,
  rows: ({ kind, item, parameters, observedAt }) => [
    {
      full_name: item.fullName,
      set_name: repositorySetOf(parameters),
      owner_type: item.ownerType,
      description: item.description ?? "",
      language: item.language ?? "",
      topics: item.topics,
      license: item.licence ?? "",
      stars: item.stars,
      forks: item.forks,
      open_issues: item.openIssues,
      created_at: item.createdAt,
      pushed_at: item.pushedAt,
      listed: kind !== "gone",
      observed_at: observedAt,
    },
  ],
  partition: (row) => monthOf(row.observed_at),
})
