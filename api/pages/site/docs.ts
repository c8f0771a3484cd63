import { asyncApiEndpoint } from "../../../schemas/endpoints/asyncapi.ts"
import { catalogEndpoint } from "../../../schemas/endpoints/catalog.ts"
import { changelogEndpoint } from "../../../schemas/endpoints/changelog.ts"
import { llmsEndpoint, llmsFullEndpoint } from "../../../schemas/endpoints/llms.ts"
import { openApiEndpoint } from "../../../schemas/endpoints/openapi.ts"
import { CONTRACT_VERSION } from "../../../schemas/printers/catalog.ts"
import { DOCS_PATH, type Guide, guidePath, guides } from "../guide/guides.ts"
import { inlineHtml } from "../guide/markdown.ts"
import { html } from "../html.ts"
import { sitePage } from "../site-page.ts"

/** The address of the reference: a page of its own, as its library has 2 MB and needs a looser content policy. */
export const REFERENCE_PATH = `${DOCS_PATH}/reference`

const forPrograms = [
  openApiEndpoint,
  asyncApiEndpoint,
  catalogEndpoint,
  llmsEndpoint,
  llmsFullEndpoint,
  changelogEndpoint,
] as const

/** The address of the dictionary of the history. */
export const TABLES_PATH = `${DOCS_PATH}/tables`

const TABLES = "Every table, view and column of the history, with its unit and a query that runs."
const REFERENCE = "Every endpoint with its parameters, fields, examples and code in four forms."

const entry = (guide: Guide) =>
  html`<li><a href="${guidePath(guide)}">${guide.title}</a><span>${inlineHtml(guide.summary)}</span></li>
`

/** The documentation: the guides and the reference. It loads no script. */
export default sitePage({
  path: DOCS_PATH,
  name: "page_docs",
  navigation: { label: "Docs", rank: 4 },
  keptMs: 60_000,
  make: () => () => ({
    title: "Documentation",
    description: "Guides from the first call to running the service yourself, and the reference of every endpoint.",
    html: () => html`<ul class="entries first"><li><a href="${REFERENCE_PATH}">Reference</a><span>${REFERENCE} Contract ${CONTRACT_VERSION}.</span></li>
<li><a href="${TABLES_PATH}">Tables</a><span>${TABLES}</span></li></ul>
<h2>Guides</h2>
<ul class="entries">${guides().map(entry)}</ul>
<h2>For programs</h2>
<ul>${forPrograms.map(({ path, summary }) => html`<li><a href="${path}">${path}</a>: ${summary}</li>\n`)}</ul>`,
    markdown: () =>
      [
        `[Reference](${REFERENCE_PATH}.md): ${REFERENCE} Contract ${CONTRACT_VERSION}.`,
        `[Tables](${TABLES_PATH}.md): ${TABLES}`,
        "## Guides",
        guides()
          .map((guide) => `- [${guide.title}](${guidePath(guide)}.md): ${guide.summary}`)
          .join("\n"),
        "## For programs",
        forPrograms.map(({ path, summary }) => `- [${path}](${path}): ${summary}`).join("\n"),
      ].join("\n\n"),
  }),
})
