import { catalogEndpoint } from "../../../schemas/endpoints/catalog.ts"
import { html } from "../html.ts"
import { sitePage } from "../site-page.ts"

/** The front page; the catalog for programs. */
export default sitePage({
  path: "/",
  name: "page_world",
  navigation: { label: "World", rank: 1 },
  json: catalogEndpoint.path,
  make: () => () => ({
    title: "The world now",
    description: "Real-time data of public feeds.",
    html: () => html`<p><a href="/feeds">All feeds</a></p>`,
    markdown: () => "[All feeds](/feeds)\n",
  }),
})
