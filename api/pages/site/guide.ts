import { guideFacts } from "../guide/facts.ts"
import { DOCS_PATH, filled, type Guide, guidePath, guides } from "../guide/guides.ts"
import { blocksHtml, blocksOf } from "../guide/markdown.ts"
import { type Html, html } from "../html.ts"
import { sitePage } from "../site-page.ts"

const step = (guide: Guide | undefined, rel: "prev" | "next", label: string): Html | null =>
  guide === undefined
    ? null
    : html`<a href="${guidePath(guide)}" rel="${rel}"><span class="small soft">${label}</span> ${guide.title}</a>`

/** The guide before and the guide after. */
const steps = (at: number): Html =>
  html`<nav class="steps" aria-label="Guides">${step(guides()[at - 1], "prev", "Before")}${step(guides()[at + 1], "next", "Next")}</nav>`

/** A guide, with the facts of this installation. Its Markdown twin is its source with the same facts. */
export default sitePage({
  path: `${DOCS_PATH}/:name`,
  name: "page_guide",
  keptMs: 60_000,
  names: () => guides().map(({ name }) => name),
  make:
    (tools) =>
    ({ name, address }) => {
      const at = guides().findIndex((guide) => guide.name === name)
      const guide = guides()[at]
      if (guide === undefined) return null
      const text = filled(guide.source, guideFacts(tools, address))
      return {
        title: guide.title,
        description: guide.summary.replaceAll(/[`*]|\[([^\]]+)\]\([^)]+\)/g, "$1"),
        html: () => html`<article class="guide">
${blocksHtml(blocksOf(text))}
</article>
${steps(at)}`,
        markdown: () => text,
        modules: ["copy.js"],
      }
    },
})
