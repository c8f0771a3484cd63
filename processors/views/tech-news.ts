import { stories, storyRow, techNewsEndpoint } from "../../schemas/feeds/stories.ts"
import { from, view } from "../view.ts"

export default view({
  endpoint: techNewsEndpoint,
  reads: { frontPage: from(stories) },
  build: ({ frontPage }) => frontPage.payload.items.map(storyRow),
})
