import { type Story, type StoryRow, techNews, techNewsEndpoint } from "../../schemas/feeds/tech-news.ts"
import { changesOf, from, rowsBy, view } from "../view/view.ts"

const storyRow = (story: Story): StoryRow => ({
  id: story.id,
  title: story.title,
  url: story.url,
  discussion_url: story.discussionUrl,
  score: story.score,
  comment_count: story.comments,
  author: story.author,
  posted_at: story.postedAt,
})

/** Stories as replies state them. */
export const storyRows = rowsBy(storyRow)

export default view({
  endpoint: techNewsEndpoint,
  reads: { frontPage: from(techNews) },
  changes: [changesOf(techNews, storyRow)],
  build: ({ frontPage }) => storyRows(frontPage.payload.items),
})
