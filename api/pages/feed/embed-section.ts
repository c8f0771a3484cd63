import type { Endpoint } from "../../../schemas/contract/endpoint-kinds.ts"
import { feedPageName } from "../../../schemas/contract/pages.ts"
import { html } from "../html.ts"
import { type Section, section } from "../page.ts"

/** Where pages for frames of other sites are. */
export const EMBED_PATH = "/embed"

/** How the value and the drawing of a feed are shown in a page of another site. `address`: that of this service. */
export const embedSection = (endpoint: Endpoint, address: string): Section => {
  const path = `${EMBED_PATH}/${feedPageName(endpoint)}`
  const frame = `<iframe src="${address}${path}" title="${endpoint.summary.replaceAll('"', "&quot;")}" width="480" height="420" loading="lazy"></iframe>`
  return section("embed", "In a page of yours", [
    {
      text: "Its value and its drawing in a frame, with their source and their age: no cookies, no scripts of others, and it follows the feed.",
    },
    { code: frame, lang: "html" },
    { part: html`<p><a href="${path}">What the frame shows</a></p>` },
  ])
}
