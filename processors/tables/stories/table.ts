import { techNews } from "../../../schemas/feeds/tech-news.ts"
import { monthOf, table } from "../../table.ts"

export default table({
  name: "stories",
  feed: techNews,
  rows: ({ kind, item, observedAt }) => [
    {
      id: item.id,
      kind: item.kind,
      title: item.title,
      url: item.url ?? "",
      author: item.author ?? "",
      score: item.score,
      comments: item.comments,
      posted_at: item.postedAt,
      on_front_page: kind !== "gone",
      observed_at: observedAt,
    },
  ],
  partition: (row) => monthOf(row.observed_at),
})
