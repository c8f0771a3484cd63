import { storyRow, techNews, techNewsEndpoint } from "../../schemas/feeds/tech-news.ts"
import { from, view } from "../view.ts"

export default view({
  endpoint: techNewsEndpoint,
  reads: { frontPage: from(techNews) },
  build: ({ frontPage }) => frontPage.payload.items.map(storyRow),
})
