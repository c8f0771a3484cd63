import { deprecationText } from "../../../schemas/contract/deprecation.ts"
import { defaultTtlMs, type Endpoint, isPremium, subjects } from "../../../schemas/contract/endpoint-kinds.ts"
import { feedPageName } from "../../../schemas/contract/pages.ts"
import { noProvenance } from "../../../schemas/contract/provenance.ts"
import { formatLabels } from "../../../schemas/formats/format.ts"
import { datasetJsonLd, distributionsOf } from "../../../schemas/printers/datasets.ts"
import { isData, priceOf } from "../../../schemas/printers/tools.ts"
import type { ApiTools } from "../../routes/route.ts"
import { type ReliabilityRecord, recentReliability } from "../../status/reliability.ts"
import { changesSection, codeSection, priceSection, trySection } from "../feed/call-sections.ts"
import { dataFields, dataSection } from "../feed/data-section.ts"
import { shownReply } from "../feed/live-reply.ts"
import { historySection, sourcesSection } from "../feed/origin-sections.ts"
import { reliabilityIn, reliabilitySection } from "../feed/reliability-section.ts"
import { type Html, html, scriptJson, withCode } from "../html.ts"
import { type LivePages, livePages } from "../live.ts"
import { markdownPieces, type Piece, type Section, sectionHtml } from "../page.ts"
import { type PageContent, type PageRequest, sitePage } from "../site-page.ts"

/** A reply may be a few seconds old; the form gets a new one. */
const KEPT_MS = 30_000

const durationText = (durationMs: number): string => {
  const seconds = Math.floor(durationMs / 1000)
  return seconds >= 120 && seconds % 60 === 0 ? `${seconds / 60} min` : `${seconds} s`
}

/** What matters first: the address, the price, how long a reply may be reused, and the formats. */
const factsHtml = (endpoint: Endpoint): Html => {
  const formats = distributionsOf(endpoint, "")
  const links = formats.map(({ format, url }, at) => [
    at === 0 ? null : ", ",
    isPremium(endpoint) ? formatLabels[format] : html`<a href="${url}">${formatLabels[format]}</a>`,
  ])
  return html`<dl class="facts">
<div><dt>Address</dt><dd><code>${endpoint.method} ${endpoint.path}</code></dd></div>
<div><dt>Price</dt><dd>${isPremium(endpoint) ? html`${endpoint.credits} credit${endpoint.credits > 1 && "s"} a call` : "free, no key"}</dd></div>
<div><dt>Reusable for</dt><dd>${durationText(defaultTtlMs(endpoint))}</dd></div>
<div><dt>Formats</dt><dd>${links}</dd></div>
</dl>`
}

const contentsHtml = (sections: ReadonlyArray<Section>): Html =>
  html`<nav class="contents" aria-label="On this page"><ul>${sections.map(
    ({ id, heading }) => html`<li><a href="#${id}">${heading}</a></li>`,
  )}</ul></nav>`

const noticesOf = (endpoint: Endpoint): ReadonlyArray<string> => endpoint.deprecated.map(deprecationText)

const makePage = (
  endpoint: Endpoint,
  { options }: ApiTools,
  { address }: PageRequest,
  { record, live }: { readonly record: ReliabilityRecord | null; readonly live: LivePages },
): PageContent => {
  const provenance = options.provenance?.(endpoint.path) ?? noProvenance
  const fields = dataFields(endpoint)
  const sections = [
    dataSection(endpoint, shownReply(endpoint, options), { fields, live }),
    trySection(endpoint),
    codeSection(endpoint, provenance.tables, address),
    changesSection(endpoint, options.endpoints),
    priceSection(endpoint),
    sourcesSection(provenance),
    reliabilitySection(provenance.monitored, reliabilityIn(options.store), record),
    historySection(provenance),
  ].filter((one) => one !== null)
  const notices = noticesOf(endpoint)
  const subject = endpoint.subject === null ? null : subjects[endpoint.subject]
  const jsonLd = datasetJsonLd(endpoint, { address, upstreams: provenance.upstreams, fields })
  return {
    title: endpoint.summary,
    description: `${endpoint.description} ${priceOf(endpoint)}`.trim(),
    width: "wide",
    modules: ["age.js", "copy.js", "feed-live.js", "try.js"],
    head: html`<script type="application/ld+json">${scriptJson(jsonLd)}</script>`,
    html: () => html`<p class="lead">${withCode(endpoint.description)}</p>
${notices.map((notice) => html`<p class="notice">${notice}</p>`)}
<p class="small soft"><a href="/feeds">Feeds</a>${subject === null ? null : html` › <a href="/feeds#${endpoint.subject}">${subject}</a>`}</p>
${factsHtml(endpoint)}
${contentsHtml(sections)}
${sections.map(sectionHtml)}`,
    markdown: () => {
      const pieces: ReadonlyArray<Piece> = [
        { text: `${endpoint.description} ${priceOf(endpoint)}`.trim() },
        ...notices.map((text) => ({ text })),
        { text: `${endpoint.method} ${endpoint.path}, reusable for ${durationText(defaultTtlMs(endpoint))}.` },
        ...sections.flatMap(({ heading, pieces: own }): ReadonlyArray<Piece> => [{ heading }, ...own]),
      ]
      return markdownPieces(pieces)
    },
  }
}

/** An endpoint of data: what it is, its reply and fields, how it is called, and where its data comes from. */
export default sitePage({
  path: "/feeds/:name",
  name: "page_feed",
  keptMs: KEPT_MS,
  names: ({ options }) => options.endpoints.filter(isData).map(feedPageName),
  make: (tools) => {
    const byName = new Map(tools.options.endpoints.filter(isData).map((one) => [feedPageName(one), one]))
    const live = livePages(tools.options)
    const reliability = recentReliability(tools.options)
    return async (request) => {
      const endpoint = byName.get(request.name ?? "")
      return endpoint === undefined
        ? null
        : makePage(endpoint, tools, request, { record: await reliability.awaited(), live })
    }
  },
})
