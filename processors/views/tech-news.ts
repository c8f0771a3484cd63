import { type Story, type StoryRow, techNews, techNewsEndpoint } from "../../schemas/feeds/tech-news.ts"
import { from, rowsBy, view } from "../view/view.ts"

/** Stories as replies state them. */
export const storyRows = rowsBy(
  (story: Story): StoryRow => ({
    id: story.id,
    title: story.title,
    url: story.url,
    discussion_url: story.discussionUrl,
    score: story.score,
    comment_count: story.comments,
    author: story.author,
    posted_at: story.postedAt,
  }),
)

export default view({
  endpoint: techNewsEndpoint,
  reads: { frontPage: from(techNews) },
  build: ({ frontPage }) => storyRows(frontPage.payload.items),
})
