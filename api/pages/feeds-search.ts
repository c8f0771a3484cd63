import type { Endpoint } from "../../schemas/contract/endpoint-kinds.ts"
import type { ApiOptions } from "../routes/route.ts"
import { SEARCH_MAX_CHARACTERS } from "./assets/words.js"
import { type Html, html, type Insert } from "./html.ts"

// The search over endpoints of data: a form that works without scripts, and the text in which it looks for its words.

/** Where the form leads. */
export const FEEDS_PATH = "/feeds"

/** The names of those who provide an endpoint's data. */
export const providersOf = (
  { attribution }: Pick<ApiOptions, "attribution">,
  { path }: Pick<Endpoint, "path">,
): ReadonlyArray<string> => [...new Set((attribution.get(path) ?? []).map(({ provider }) => provider))]

/** Everything by which the search finds an endpoint, in lower case. */
export const searchText = (endpoint: Endpoint, providers: ReadonlyArray<string>): string =>
  [endpoint.name.replaceAll("_", " "), endpoint.path, endpoint.summary, endpoint.description, ...providers]
    .join(" ")
    .toLowerCase()

/** The form. `more`: what stands behind its field; `attributes`: of the form. */
export const searchForm = (words: string, { more, attributes }: { more?: Insert; attributes?: Html } = {}): Html =>
  html`<form class="search" action="${FEEDS_PATH}" method="get" role="search"${attributes}>
<label class="unseen" for="feeds-search">Search feeds</label>
<input id="feeds-search" type="search" name="q" value="${words}" placeholder="Search: place, market, hazard, source" autocomplete="off" maxlength="${SEARCH_MAX_CHARACTERS}">
${more}
</form>
`
