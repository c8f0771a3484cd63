import { isData } from "../../../schemas/contract/tools.ts"
import { html } from "../html.ts"
import { sitePage } from "../site-page.ts"

/** Every endpoint of data, each with a link to its page. */
export default sitePage({
  path: "/feeds",
  name: "page_feeds",
  navigation: { label: "Feeds", rank: 2 },
  make: ({ options }) => {
    const listed = options.endpoints.filter(isData)
    return () => ({
      title: "Feeds",
      description: "Every feed, free and premium, with what it is and where its data comes from.",
      html: () =>
        html`<ul>${listed.map(({ path, summary }) => html`<li><a href="${path}">${path}</a>: ${summary}</li>`)}</ul>`,
      markdown: () => listed.map(({ path, summary }) => `- [${path}](${path}): ${summary}\n`).join(""),
    })
  },
})
