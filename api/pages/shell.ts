import * as Result from "effect/Result"
import type { DocumentEndpoint } from "../../schemas/contract/endpoint-kinds.ts"
import { agentPaymentsEndpoint } from "../../schemas/endpoints/agent-payments.ts"
import { catalogEndpoint } from "../../schemas/endpoints/catalog.ts"
import { changelogEndpoint } from "../../schemas/endpoints/changelog.ts"
import { iconEndpoint } from "../../schemas/endpoints/icon.ts"
import { llmsEndpoint } from "../../schemas/endpoints/llms.ts"
import { openApiEndpoint } from "../../schemas/endpoints/openapi.ts"
import { instant } from "../../schemas/event.ts"
import { type Document, type DocumentRequest, document } from "../routes/document.ts"
import type { ApiOptions, ApiTools } from "../routes/route.ts"
import { instantText } from "./assets/world-view.js"
import { assets } from "./assets.ts"
import { type Html, html, type Insert } from "./html.ts"
import { htmlOf, markdownPieces, type Piece } from "./page.ts"
import { HTML_TYPE } from "./page-reply.ts"
import { linkAt, type PagePast, pastBanner, pastNote } from "./past.ts"
import { sitePages } from "./site-registry.ts"

/** What a page puts into the shell. */
interface Shelled {
  /** The beginning of the page's title. */
  readonly title: string
  /** The heading of the page; the title unless given. */
  readonly heading?: string
  /** One sentence for search engines and link previews. */
  readonly description: string
  /** The address of the page, for its entry in the navigation; null where it has none. */
  readonly path: string | null
  readonly main: Html
  /** Names of browser modules that the page starts; none unless given. */
  readonly modules?: ReadonlyArray<string>
  /** Further elements of the head. */
  readonly head?: Html
  /** The address of the page's Markdown twin. */
  readonly twin?: string
  /** What every page of the service says of its data. */
  readonly notes: ReadonlyArray<PageNote>
  /** Of a page of the past. */
  readonly past?: PagePast | undefined
  /** The width of the content: that of a text unless given. */
  readonly width?: "text" | "wide"
  /** What stands around the content; that of every page unless given. */
  readonly frame?: "site" | "embed"
}

interface Entry {
  readonly path: string
  readonly label: string
  /** Whether the page has a past without a further choice. */
  readonly hasPast?: boolean
}

/** The pages that every page links. */
const navigation = (): ReadonlyArray<Entry> => [
  ...sitePages
    .flatMap(({ path, makePast, navigation: entry }) =>
      entry === null ? [] : [{ path, hasPast: makePast !== null, ...entry }],
    )
    .sort((one, other) => one.rank - other.rank),
  { path: agentPaymentsEndpoint.path, label: "Credits" },
]

const forPrograms: ReadonlyArray<Entry> = [
  { path: catalogEndpoint.path, label: "Catalog" },
  { path: openApiEndpoint.path, label: "OpenAPI" },
  { path: llmsEndpoint.path, label: "llms.txt" },
  { path: changelogEndpoint.path, label: "Changes" },
]

const isUnder = (path: string, place: string): boolean =>
  place === "/" ? path === place : path === place || path.startsWith(`${place}/`)

const link = (current: string | null, { path, label, hasPast = false }: Entry, at: string | null = null): Html =>
  html`<li><a href="${hasPast ? linkAt(path, at) : path}"${current !== null && isUnder(current, path) ? html` aria-current="page"` : null}>${label}</a></li>`

const links = (modules: ReadonlyArray<string>): Insert =>
  modules.length === 0
    ? null
    : [
        assets().importMap,
        ...modules.map((name) => html`<script type="module" src="${assets().pathOf(name)}"></script>`),
      ]

/** A notice at the top of every page: that the data is simulated, or that the service shows a replay. */
interface PageNote {
  readonly title: string
  readonly text: string
}

const SIMULATED: PageNote = {
  title: "Simulated world",
  text: "What is shown here is made up: no earthquake, price or alert of the real world.",
}
const replayNote = (atMs: number): PageNote => ({
  title: "Replay",
  text: `What is shown here is as at ${instantText(instant(atMs))}, and stays so.`,
})

/** What the pages of an API say of its data: that it is simulated, that it is a replay. */
export const notesOf = ({
  simulated = false,
  store,
  judgedMs,
}: Pick<ApiOptions, "judgedMs" | "simulated" | "store">): ReadonlyArray<PageNote> => [
  ...(simulated || store.holdsSimulated ? [SIMULATED] : []),
  // The clock of a replay stands still.
  ...(judgedMs === undefined ? [] : [replayNote(judgedMs())]),
]

/** The Markdown of a page, with its notes and that of the past below its title. */
export const pageMarkdown = (
  title: string,
  content: string,
  { notes, past }: Pick<Shelled, "notes" | "past">,
): string =>
  `# ${title}\n\n${notes.map((note) => `> ${note.title}. ${note.text}\n\n`).join("")}${past === undefined ? "" : pastNote(past)}${content}`

const headerHtml = (path: string | null, past: PagePast | undefined): Html => html`<header class="top">
<a class="brand" href="/"><img src="${iconEndpoint.path}" alt="" width="24" height="24">Tidewire</a>
<nav aria-label="Pages"><ul>${navigation().map((entry) => link(path, entry, past?.meta.known_at))}</ul></nav>
</header>`

const footerHtml = (): Html => html`<footer class="bottom">
<p>Real-time data of public feeds, with its source, its age and its licence.</p>
<nav aria-label="For programs"><ul>${forPrograms.map((entry) => link(null, entry))}</ul></nav>
</footer>`

/** A whole page: its content between what all pages have in common. It needs no script and nothing of another origin. */
export const pageHtml = ({
  title,
  heading = title,
  description,
  path,
  main,
  modules = [],
  head,
  twin,
  notes,
  past,
  width = "text",
  frame = "site",
}: Shelled): string => {
  // Search engines show this text as it is, so the backticks that mark code are removed.
  const summary = description.replaceAll("`", "")
  return String(html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${title === "Tidewire" ? title : `${title} - Tidewire`}</title>
<meta name="description" content="${summary}">
<meta property="og:site_name" content="Tidewire">
<meta property="og:type" content="website">
<meta property="og:title" content="${title}">
<meta property="og:description" content="${summary}">
<link rel="icon" href="${iconEndpoint.path}" type="image/svg+xml">
<link rel="stylesheet" href="${assets().stylesheet}">
${twin === undefined ? null : html`<link rel="alternate" href="${twin}" type="text/markdown">`}
${past === undefined ? null : html`<link rel="original" href="${past.present}">`}
${links(modules)}
${head}
</head>
<body${frame === "embed" && html` class="embed"`}>
${frame === "embed" ? null : html`<a class="skip" href="#content">Skip to the content</a>`}
${past === undefined ? null : pastBanner(past)}
${notes.map((note) => html`<p class="simulated" role="note"><strong>${note.title}.</strong> ${note.text}</p>`)}
${frame === "embed" ? null : headerHtml(path, past)}
<main id="content" class="${width}">
<h1>${heading}</h1>
${main}
</main>
${frame === "embed" ? null : footerHtml()}
</body>
</html>
`)
}

/** The implementations of a page, in HTML or Markdown as the client prefers, and of its Markdown twin. */
export const pageDocuments = (definition: {
  readonly page: DocumentEndpoint
  readonly twin: DocumentEndpoint
  readonly title: string
  /** One sentence for search engines and link previews. */
  readonly description: string
  /** Browser modules of `assets/` that the page starts; none unless given. */
  readonly modules?: ReadonlyArray<string>
  readonly pieces: (tools: ApiTools) => (request: DocumentRequest) => ReadonlyArray<Piece>
}): readonly [page: Document, twin: Document] => {
  const { page, twin, title, description, modules = [], pieces } = definition
  const shell = { title, description, path: page.path, modules, twin: twin.path }
  const make: Document["make"] = (tools) => {
    const piecesOf = pieces(tools)
    return (request) => {
      const content = piecesOf(request)
      const notes = notesOf(tools.options)
      return Result.succeed(
        request.mediaType === HTML_TYPE
          ? pageHtml({ ...shell, main: htmlOf(content), notes })
          : pageMarkdown(title, markdownPieces(content), { notes }),
      )
    }
  }
  return [document({ endpoint: page, modules, make }), document({ endpoint: twin, make })]
}
