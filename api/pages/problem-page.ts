import { distance } from "fastest-levenshtein"
import { feedPagePath } from "../../schemas/contract/pages.ts"
import type { Problem } from "../../schemas/contract/reply.ts"
import { agentPaymentsEndpoint } from "../../schemas/endpoints/agent-payments.ts"
import { changelogEndpoint } from "../../schemas/endpoints/changelog.ts"
import { isData } from "../../schemas/printers/tools.ts"
import type { ProblemPage } from "../http/answer.ts"
import type { ApiOptions, ApiTools } from "../routes/route.ts"
import { holdsWords } from "./assets/words.js"
import { instantText } from "./assets/world-view.js"
import { assets } from "./assets.ts"
import { FEEDS_PATH, searchForm } from "./feeds-search.ts"
import { type Html, html } from "./html.ts"
import { FORM_POLICY } from "./past.ts"
import { notesOf, pageHtml } from "./shell.ts"
import { sitePages } from "./site-registry.ts"

// The page of a problem. It helps on: from an address that does not exist to the nearest pages, the feeds that fit its words, a
// search, and the main pages; from an instant that cannot be shown to those that can.

const PATH_MAX_CHARACTERS = 128
const WORD_MIN_CHARACTERS = 3
const WORDS_MAX = 4
const NEAREST_MAX = 3
const FEEDS_MAX = 5
const NAME = ":name"

/** Parts of addresses that say nothing of what was looked for. */
const COMMON = new Set(["api", "feeds", "feed", "docs", "embed", "html", "index", "php", "json", "www"])

/** The words of an address. */
const wordsOfPath = (path: string): ReadonlyArray<string> =>
  path
    .replaceAll(/%[0-9a-f]{2}/gi, " ")
    .toLowerCase()
    .split(/[^a-z0-9]+/)
    .filter((word) => word.length >= WORD_MIN_CHARACTERS && !COMMON.has(word))
    .slice(0, WORDS_MAX)

/** The part of an address by which it is compared with others: its last. */
const lastPart = (path: string): string =>
  path
    .toLowerCase()
    .replace(/\/+$|\.md$/g, "")
    .replace(/^.*\//, "")

/** The nearest addresses of pages, the most alike first. */
const nearest = (path: string, pages: ReadonlyArray<string>): ReadonlyArray<string> => {
  const asked = lastPart(path)
  if (asked === "") return []
  return pages
    .map((page) => ({ page, apart: distance(asked, lastPart(page)), most: Math.max(1, lastPart(page).length / 4) }))
    .filter(({ apart, most }) => apart <= Math.max(2, most) && apart < asked.length / 2)
    .sort((one, other) => one.apart - other.apart)
    .slice(0, NEAREST_MAX)
    .map(({ page }) => page)
}

const MAIN: ReadonlyArray<readonly [href: string, title: string, note: string]> = [
  ["/", "World", "every feed at a glance, on a map and as tiles"],
  [FEEDS_PATH, "Feeds", "every endpoint of data, with its reply and how it is called"],
  ["/docs", "Docs", "guides, the reference of the API and of the tables"],
  ["/status", "Status", "how each upstream and this service are doing"],
  [changelogEndpoint.path, "Changes", "what was added, changed and removed"],
]

/** Makes what stands on the page of a 404. `path`: what was asked for; it is read up to a bound. */
const makeNotFoundHelp = (tools: Pick<ApiTools, "options">): ((path: string) => Html) => {
  const { options } = tools
  const feeds = options.endpoints.filter(isData).map((endpoint) => ({
    href: feedPagePath(endpoint),
    title: endpoint.summary,
    // Without descriptions: their common words would match nearly every address.
    text: `${endpoint.name} ${endpoint.path} ${endpoint.summary}`.toLowerCase(),
  }))
  // Frames (/embed/) are made for other sites, so a mistyped address never means one.
  const pages = sitePages
    .filter(({ path }) => !path.startsWith("/embed/"))
    .flatMap(({ path, names }) =>
      path.endsWith(NAME) ? (names?.(tools) ?? []).map((name) => path.replace(NAME, name)) : [path],
    )
    .concat(agentPaymentsEndpoint.path, changelogEndpoint.path)
  return (path) => {
    const asked = path.slice(0, PATH_MAX_CHARACTERS)
    const words = wordsOfPath(asked)
    const near = nearest(asked, pages)
    const fitting = feeds
      .map((feed) => ({ ...feed, held: words.filter((word) => holdsWords(feed.text, [word])).length }))
      .filter(({ held }) => held > 0)
      .sort((one, other) => other.held - one.held)
      .slice(0, FEEDS_MAX)
    return html`${
      near.length > 0 &&
      html`<p>Did you mean ${near.map((page, at) => [at === 0 ? null : at === near.length - 1 ? " or " : ", ", html`<a href="${page}">${page}</a>`])}?</p>
`
    }${
      fitting.length > 0 &&
      html`<p>Feeds that such words lead to:</p>
<ul>${fitting.map(({ href, title }) => html`<li><a href="${href}">${title}</a></li>\n`)}</ul>
`
    }${searchForm(words.join(" "), { more: html`<button type="submit">Search</button>` })}
<h2>The main pages</h2>
<ul>${MAIN.map(([href, title, note]) => html`<li><a href="${href}">${title}</a>: ${note}</li>\n`)}</ul>
`
  }
}

/** Where a page of the past that cannot be shown leads instead: to instants that can, and to the present. */
const otherInstants = ({ first, watermark, allowed = [] }: Partial<Problem>): Html => {
  const instants: ReadonlyArray<string> = [first, watermark, ...allowed].flatMap((one) => one ?? [])
  return html`<ul>${instants.map((one) => html`<li><a href="?at=${one}">At ${instantText(one)}</a></li>\n`)}<li><a href="?">The present</a></li></ul>`
}

const NOT_FOUND = "not_found"

/** Makes the function that shows a problem as a page. */
export const makeProblemPage = (options: ApiOptions): ProblemPage => {
  const notFoundHelp = makeNotFoundHelp({ options })
  return ({ title, message, status, error, ...rest }, path) => ({
    contentPolicy: assets().policyOf(FORM_POLICY),
    html: pageHtml({
      title,
      description: message,
      path: null,
      notes: notesOf(options),
      main:
        error === NOT_FOUND
          ? html`<p>There is nothing at this address.</p>
${notFoundHelp(path)}`
          : html`<p>${message}</p>
${rest.parameter === "at" && otherInstants(rest)}
<p class="soft">Status ${status}.</p>`,
    }),
  })
}
