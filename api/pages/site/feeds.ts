import {
  type Endpoint,
  isPremium,
  type Subject,
  subjectNames,
  subjects,
} from "../../../schemas/contract/endpoint-kinds.ts"
import { counted } from "../../../schemas/contract/glance.ts"
import { feedPagePath } from "../../../schemas/contract/pages.ts"
import { dcatEndpoint } from "../../../schemas/endpoints/dcat.ts"
import type { Tile } from "../../../schemas/endpoints/world.ts"
import type { Parameters } from "../../../schemas/feed.ts"
import { formatLabels } from "../../../schemas/formats/format.ts"
import { distributionsOf } from "../../../schemas/printers/datasets.ts"
import { isData } from "../../../schemas/printers/tools.ts"
import { countsOf, countsText } from "../../counts.ts"
import { linePath, lineText } from "../assets/sparkline.js"
import { holdsWords, SEARCH_MAX_CHARACTERS, wordsOf } from "../assets/words.js"
import { stateOf, valueText } from "../assets/world-view.js"
import { FEEDS_PATH, providersOf, searchForm, searchText } from "../feeds-search.ts"
import { type Html, html } from "../html.ts"
import { markdownPieces, type Piece } from "../page.ts"
import { FORM_POLICY } from "../past.ts"
import { type PageContent, sitePage } from "../site-page.ts"

const priceText = (endpoint: Endpoint): string =>
  isPremium(endpoint) ? `${endpoint.credits} credit${endpoint.credits === 1 ? "" : "s"}` : "free"

/** What is known of a feed now: its tile, and the numbers of the last day; none of a feed without a glance. */
interface Now {
  readonly tile: Tile
  readonly values: ReadonlyArray<number | null>
}

/** The value with its line of a day. */
const nowHtml = ({ tile, values }: Now): Html => {
  const { value, unit, note, stale } = tile
  if (value === null) {
    const { sign, words } = stateOf(tile)
    return html`<p class="now-value"><span class="state ${sign}">${words}</span></p>
`
  }
  const text = lineText(values)
  const line =
    text === null
      ? null
      : html` <svg class="line-of-day" viewBox="0 0 100 24" preserveAspectRatio="none" role="img" aria-label="${text}"><title>${text}</title><path d="${linePath(values)}"/></svg>`
  return html`<p class="now-value"><b>${valueText(value)}</b>${unit !== null && ` ${unit}`}${stale && html` <span class="state warn">stale</span>`} <span class="soft small">${note}</span>${line}</p>
`
}

const nowText = (now: Now | undefined): string =>
  now === undefined || now.tile.value === null
    ? ""
    : `; now ${valueText(now.tile.value)}${now.tile.unit === null ? "" : ` ${now.tile.unit}`}`

const entryHtml = ({ endpoint, providers, text }: Entry, now: Now | undefined, isShown: boolean): Html =>
  html`<li data-feed="${text}" data-tier="${endpoint.tier}"${!isShown && html` hidden`}>
<a href="${feedPagePath(endpoint)}">${endpoint.summary}</a>
${now === undefined ? null : nowHtml(now)}<p class="small soft"><code>${endpoint.path}</code></p>
<p class="small soft">${isPremium(endpoint) ? html`<span class="price">${priceText(endpoint)}</span>` : priceText(endpoint)}${distributionsOf(endpoint, "").map(({ format }) => ` · ${formatLabels[format]}`)}${providers.length > 0 && ` · ${providers.slice(0, 2).join(", ")}${providers.length > 2 ? ` and ${providers.length - 2} more` : ""}`}</p></li>
`

interface Entry {
  readonly endpoint: Endpoint
  readonly providers: ReadonlyArray<string>
  /** That in which the search looks. */
  readonly text: string
}

interface Group {
  readonly subject: Subject
  readonly entries: ReadonlyArray<Entry>
}

/** The endpoints of data by subject, the free ones first. */
const groupsOf = (entries: ReadonlyArray<Entry>): ReadonlyArray<Group> =>
  subjectNames
    .map((subject) => {
      const own = entries.filter(({ endpoint }) => endpoint.subject === subject)
      const isPaid = ({ endpoint }: Entry) => isPremium(endpoint)
      return { subject, entries: [...own.filter((one) => !isPaid(one)), ...own.filter(isPaid)] }
    })
    .filter((group) => group.entries.length > 0)

const TIERS = ["", "free", "premium"]

/** What is looked for, and whether an entry is a part of it. */
const searchOf = ({ q = "", tier = "" }: Parameters) => {
  const words = wordsOf(q)
  const only = TIERS.includes(tier) ? tier : ""
  return {
    text: q.slice(0, SEARCH_MAX_CHARACTERS),
    tier: only,
    fits: ({ endpoint, text }: Entry): boolean => holdsWords(text, words) && (only === "" || endpoint.tier === only),
  }
}
type Search = ReturnType<typeof searchOf>

/** The search, which sends its words without scripts, and with them searches as one types. */
const searchHtml = ({ text, tier }: Search, found: number): Html =>
  searchForm(text, {
    attributes: html` data-search`,
    more: html`<fieldset><legend class="unseen">Price</legend>
${TIERS.map(
  (
    one,
  ) => html`<label><input type="radio" name="tier" value="${one}"${one === tier && html` checked`}> ${one === "" ? "all" : one}</label>
`,
)}</fieldset>
<noscript><button type="submit">Search</button></noscript>
<output class="soft small" data-count>${counted(found, "endpoint")}</output>`,
  })

/** Every endpoint of data by subject, with a search. */
export default sitePage({
  path: FEEDS_PATH,
  name: "page_feeds",
  navigation: { label: "Feeds", rank: 2 },
  keptMs: 15_000,
  reads: ["q", "tier"],
  policy: FORM_POLICY,
  make: ({ options, world, worldHistory }) => {
    const listed = options.endpoints.filter(isData)
    const groups = groupsOf(
      listed.map((endpoint) => {
        const providers = providersOf(options, endpoint)
        return { endpoint, providers, text: searchText(endpoint, providers) }
      }),
    )
    const lead = `${countsText(countsOf(options))}. Each page shows the data, the reply as it is now, its fields, its sources with their licences, and calls to copy.`
    const knownNow = async (): Promise<ReadonlyMap<string, Now>> => {
      const { tiles } = (await world.current()).world
      const day = (options.past ?? null) === null ? null : await worldHistory.of("24h")
      const valuesOf = new Map((day?.tiles ?? []).map(({ name, values }) => [name, values]))
      return new Map(tiles.map((tile) => [tile.path, { tile, values: valuesOf.get(tile.name) ?? [] }]))
    }
    const contentWith = (now: ReadonlyMap<string, Now>, search: Search, found: number): PageContent => ({
      title: "Feeds",
      description:
        "Every endpoint of data, free and premium, by subject, with what it is and where its data comes from.",
      width: "wide",
      modules: ["search.js"],
      head: html`<link rel="alternate" href="${dcatEndpoint.path}" type="${dcatEndpoint.mediaTypes[0]}">`,
      html: () => html`<p class="lead">${lead}</p>
${searchHtml(search, found)}${groups.map(
  ({
    subject,
    entries,
  }) => html`<section class="feeds" data-group id="${subject}" aria-labelledby="${subject}-heading"${!entries.some(search.fits) && html` hidden`}><h2 id="${subject}-heading">${subjects[subject]}</h2>
<ul>${entries.map((one) => entryHtml(one, now.get(one.endpoint.path), search.fits(one)))}</ul></section>
`,
)}<p data-nothing${found > 0 && html` hidden`}>Nothing fits these words.</p>
<p class="small soft">For catalogues: <a href="${dcatEndpoint.path}">DCAT</a>.</p>`,
      markdown: () =>
        markdownPieces([
          { text: lead },
          ...groups
            .filter(({ entries }) => entries.some(search.fits))
            .flatMap(
              ({ subject, entries }): ReadonlyArray<Piece> => [
                { heading: subjects[subject] },
                {
                  links: entries.filter(search.fits).map(({ endpoint }) => ({
                    title: endpoint.path,
                    href: `${feedPagePath(endpoint)}.md`,
                    note: `${endpoint.summary} (${priceText(endpoint)})${nowText(now.get(endpoint.path))}`,
                  })),
                },
              ],
            ),
        ]),
    })
    return async ({ parameters }) => {
      const search = searchOf(parameters)
      const found = groups.flatMap(({ entries }) => entries.filter(search.fits)).length
      return contentWith(await knownNow(), search, found)
    }
  },
})
