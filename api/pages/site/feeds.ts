import {
  type Endpoint,
  isPremium,
  type Subject,
  subjectNames,
  subjects,
} from "../../../schemas/contract/endpoint-kinds.ts"
import { feedPagePath } from "../../../schemas/contract/pages.ts"
import { dcatEndpoint } from "../../../schemas/endpoints/dcat.ts"
import { formatLabels } from "../../../schemas/formats/format.ts"
import { distributionsOf } from "../../../schemas/printers/datasets.ts"
import { isData } from "../../../schemas/printers/tools.ts"
import { type Html, html } from "../html.ts"
import { markdownPieces, type Piece } from "../page.ts"
import { sitePage } from "../site-page.ts"

const priceText = (endpoint: Endpoint): string =>
  isPremium(endpoint) ? `${endpoint.credits} credit${endpoint.credits === 1 ? "" : "s"}` : "free"

/** Everything by which the search finds an entry. */
const searchText = (endpoint: Endpoint, providers: ReadonlyArray<string>): string =>
  [endpoint.name.replaceAll("_", " "), endpoint.path, endpoint.summary, endpoint.description, ...providers]
    .join(" ")
    .toLowerCase()

const entryHtml = (endpoint: Endpoint, providers: ReadonlyArray<string>): Html =>
  html`<li data-feed="${searchText(endpoint, providers)}" data-tier="${endpoint.tier}">
<a href="${feedPagePath(endpoint)}">${endpoint.summary}</a>
<p class="small soft"><code>${endpoint.path}</code></p>
<p class="small soft">${isPremium(endpoint) ? html`<span class="price">${priceText(endpoint)}</span>` : priceText(endpoint)}${distributionsOf(endpoint, "").map(({ format }) => ` · ${formatLabels[format]}`)}${providers.length > 0 && ` · ${providers.slice(0, 2).join(", ")}${providers.length > 2 ? ` and ${providers.length - 2} more` : ""}`}</p></li>
`

interface Group {
  readonly subject: Subject
  readonly endpoints: ReadonlyArray<Endpoint>
}

/** The endpoints of data by subject, the free ones first. */
const groupsOf = (endpoints: ReadonlyArray<Endpoint>): ReadonlyArray<Group> =>
  subjectNames
    .map((subject) => {
      const own = endpoints.filter((one) => one.subject === subject)
      return { subject, endpoints: [...own.filter((one) => !isPremium(one)), ...own.filter(isPremium)] }
    })
    .filter((group) => group.endpoints.length > 0)

/** The search field, which is hidden without scripts. */
const searchHtml = html`<form class="search" data-search role="search" hidden>
<label class="unseen" for="feeds-search">Search feeds</label>
<input id="feeds-search" type="search" name="q" placeholder="Search: place, market, hazard, source" autocomplete="off" maxlength="80">
<fieldset><legend class="unseen">Price</legend>
<label><input type="radio" name="tier" value="" checked> all</label>
<label><input type="radio" name="tier" value="free"> free</label>
<label><input type="radio" name="tier" value="premium"> premium</label></fieldset>
<output class="soft small" data-count></output>
</form>
`

/** Every endpoint of data by subject, with a search. */
export default sitePage({
  path: "/feeds",
  name: "page_feeds",
  navigation: { label: "Feeds", rank: 2 },
  keptMs: 60_000,
  make: ({ options }) => {
    const listed = options.endpoints.filter(isData)
    const groups = groupsOf(listed)
    const free = listed.filter((one) => !isPremium(one)).length
    const lead = `${free} feeds are free, without a key; ${listed.length - free} composed ones cost credits by the call. Each page shows the reply as it is now, its fields, its sources with their licences, and calls to copy.`
    const providersOf = ({ path }: Endpoint): ReadonlyArray<string> => [
      ...new Set((options.attribution.get(path) ?? []).map(({ provider }) => provider)),
    ]
    return () => ({
      title: "Feeds",
      description: "Every feed, free and premium, by subject, with what it is and where its data comes from.",
      width: "wide",
      modules: ["search.js"],
      head: html`<link rel="alternate" href="${dcatEndpoint.path}" type="${dcatEndpoint.mediaTypes[0]}">`,
      html: () => html`<p class="lead">${lead}</p>
${searchHtml}${groups.map(
  ({
    subject,
    endpoints,
  }) => html`<section class="feeds" data-group id="${subject}" aria-labelledby="${subject}-heading"><h2 id="${subject}-heading">${subjects[subject]}</h2>
<ul>${endpoints.map((one) => entryHtml(one, providersOf(one)))}</ul></section>
`,
)}<p data-nothing hidden>Nothing fits these words.</p>
<p class="small soft">For catalogues: <a href="${dcatEndpoint.path}">DCAT</a>.</p>`,
      markdown: () =>
        markdownPieces([
          { text: lead },
          ...groups.flatMap(
            ({ subject, endpoints }): ReadonlyArray<Piece> => [
              { heading: subjects[subject] },
              {
                links: endpoints.map((one) => ({
                  title: one.path,
                  href: `${feedPagePath(one)}.md`,
                  note: `${one.summary} (${priceText(one)})`,
                })),
              },
            ],
          ),
        ]),
    })
  },
})
