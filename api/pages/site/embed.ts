import { type Endpoint, isView, type ViewEndpoint } from "../../../schemas/contract/endpoint-kinds.ts"
import { feedPageName, feedPagePath } from "../../../schemas/contract/pages.ts"
import type { Tile, World } from "../../../schemas/endpoints/world.ts"
import { emptyText, instantText, standingOf } from "../assets/world-view.js"
import { EMBED_PATH } from "../feed/embed-section.ts"
import { glanceNow, glanceSection } from "../feed/glance-section.ts"
import { type Html, html } from "../html.ts"
import { markdownPieces } from "../page.ts"
import { type PageContent, sitePage } from "../site-page.ts"
import { originText, standingHtml } from "../world/content.ts"
import { boardMapHtml } from "../world/map.ts"

/** The name of the map of every feed. */
const WORLD = "world"

const isShown = (endpoint: Endpoint): endpoint is ViewEndpoint => isView(endpoint) && endpoint.glance !== null

/** A page that a frame of another site shows. Its links open beside that site. */
const framed = (title: string, description: string, main: Html, markdown: string): PageContent => ({
  title,
  description,
  frame: "embed",
  width: "wide",
  modules: ["age.js", "embed.js"],
  head: html`<meta name="robots" content="noindex"><base target="_blank">`,
  html: () => main,
  markdown: () => markdown,
})

/** The value, the drawing and the source of a feed, or the map of all, for a frame in a page of another site. */
export default sitePage({
  path: `${EMBED_PATH}/:name`,
  name: "page_embed",
  policy: { "frame-ancestors": "*" },
  keptMs: 15_000,
  names: ({ options }) => [WORLD, ...options.endpoints.filter(isShown).map(feedPageName)],
  make: (tools) => {
    const { options } = tools
    const byName = new Map(options.endpoints.filter(isShown).map((endpoint) => [feedPageName(endpoint), endpoint]))
    // Above the drawing: whatever the height of the frame, its source is seen.
    const sourceHtml = (standing: Html | null, path: string, whole: string): Html =>
      html`<p class="small soft">${standing}<a href="${path}" rel="noopener">${whole}</a></p>`
    const standingOfTile = (tile: Tile): Html =>
      html`${standingHtml(tile)} · ${originText(tile, options.attribution.get(tile.path) ?? [])} · `
    const standingOfWorld = ({ tiles, generated_at: at }: World): Html => {
      const { sign, words } = standingOf(tiles)
      return html`<span class="state ${sign}">${words}</span> <time data-age datetime="${at}">${instantText(at)}</time> · `
    }
    return async ({ name }) => {
      const { world } = await tools.world.current()
      if (name === WORLD) {
        const text = emptyText(world)
        return framed(
          "The world now",
          "Earthquakes, fires, storms and launches of this moment on a map.",
          html`${sourceHtml(standingOfWorld(world), "/", "Every feed at Tidewire")}${boardMapHtml(world)}`,
          markdownPieces([
            { text: `${standingOf(world.tiles).words}, as of ${instantText(world.generated_at)}.` },
            { text: world.marks.some(({ points }) => points.length > 0) ? "The map is on the page." : text },
          ]),
        )
      }
      const endpoint = byName.get(name ?? "")
      if (endpoint === undefined) return null
      const glance = await glanceNow(endpoint, tools)
      const shown = glance === null ? null : glanceSection(endpoint, glance)
      const tile = world.tiles.find((one) => one.path === endpoint.path)
      return framed(
        endpoint.glance?.title ?? endpoint.summary,
        endpoint.description,
        html`${sourceHtml(tile === undefined ? null : standingOfTile(tile), feedPagePath(endpoint), "Tidewire")}${shown === null ? html`<p>No data yet.</p>` : shown.html}`,
        markdownPieces(shown === null ? [{ text: "No data yet." }] : shown.pieces),
      )
    }
  },
})
