import { deprecationText } from "../../../schemas/contract/deprecation.ts"
import {
  defaultTtlMs,
  type Endpoint,
  isPremium,
  isView,
  subjects,
  type ViewEndpoint,
} from "../../../schemas/contract/endpoint-kinds.ts"
import { atomPathOf, historyOf } from "../../../schemas/contract/item-history.ts"
import { feedPageName, feedPagePath } from "../../../schemas/contract/pages.ts"
import { noProvenance } from "../../../schemas/contract/provenance.ts"
import { formatLabels, mediaTypeOf } from "../../../schemas/formats/format.ts"
import { datasetJsonLd, distributionsOf } from "../../../schemas/printers/datasets.ts"
import { isData, priceOf } from "../../../schemas/printers/tools.ts"
import type { ApiTools } from "../../routes/route.ts"
import { type ReliabilityRecord, recentReliability } from "../../status/reliability.ts"
import { replyStateOf } from "../assets/reply-view.js"
import { instantText } from "../assets/world-view.js"
import { changesSection, codeSection, priceSection, trySection } from "../feed/call-sections.ts"
import { dataFields, dataSection, pastDataSection } from "../feed/data-section.ts"
import { embedSection } from "../feed/embed-section.ts"
import { type FeedGlance, glanceNow, glanceSection } from "../feed/glance-section.ts"
import { type ShownReply, shownReply, showsPast } from "../feed/live-reply.ts"
import { historySection, sourcesSection } from "../feed/origin-sections.ts"
import { type PastReply, pastReply } from "../feed/past-reply.ts"
import { reliabilityIn, reliabilitySection } from "../feed/reliability-section.ts"
import { type Html, html, scriptJson, withCode } from "../html.ts"
import { type LivePages, livePages } from "../live.ts"
import { markdownPieces, type Piece, type Section, sectionHtml } from "../page.ts"
import { FORM_POLICY, linkAt, noPastOfPage, pastForm } from "../past.ts"
import { type PageContent, type PageRequest, sitePage } from "../site-page.ts"

/** A reply may be a few seconds old; the form gets a new one. */
const KEPT_MS = 30_000

const durationText = (durationMs: number): string => {
  const seconds = Math.floor(durationMs / 1000)
  return seconds >= 120 && seconds % 60 === 0 ? `${seconds / 60} min` : `${seconds} s`
}

/** What matters first: the address, the price, how long a reply may be reused, and the formats. */
const factsHtml = (endpoint: Endpoint, at: string | null = null): Html => {
  const formats = distributionsOf(endpoint, "")
  const links = formats.map(({ format, url }, place) => [
    place === 0 ? null : ", ",
    isPremium(endpoint) ? formatLabels[format] : html`<a href="${linkAt(url, at)}">${formatLabels[format]}</a>`,
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

/** Where a reader of feeds finds the changes of the items; nothing where they have no such form. */
const atomLink = (endpoint: Endpoint, { endpoints }: ApiTools["options"]): Html | null => {
  const history = historyOf(endpoint, endpoints)
  const path = history === null ? null : atomPathOf(history)
  return path === null
    ? null
    : html`
<link rel="alternate" href="${path}" type="${mediaTypeOf.atom}" title="${endpoint.summary}: changes">`
}

/** How current the data is, before anything of it; the browser keeps it as it keeps the state of the reply. */
const standingHtml = ({ stale, asOf, reason }: ShownReply): Html => {
  const { sign, words, rest } = replyStateOf({ stale, asOf, missing: reason })
  return html`<p class="small" data-standing><span class="state ${sign}">${words}</span><span>${rest}</span>${asOf === null ? null : html`<time datetime="${asOf}" data-age>${instantText(asOf)}</time>`}</p>`
}

/** The data and how it is called, side by side as tabs where scripts run, else below each other. */
const panelsHtml = (data: Section, call: ReadonlyArray<Section>): Html => html`<div class="panels" data-panels>
<nav class="tabs" aria-label="Forms" data-tabs><a id="tab-data" href="#${data.id}">JSON</a> <a id="tab-call" href="#call">How to call</a></nav>
${sectionHtml(data)}
<div id="call">
${call.map(sectionHtml)}
</div>
</div>`

const noticesOf = (endpoint: Endpoint): ReadonlyArray<string> => endpoint.deprecated.map(deprecationText)

const makePage = (
  endpoint: Endpoint,
  { options }: ApiTools,
  { address }: PageRequest,
  {
    record,
    live,
    glance,
  }: { readonly record: ReliabilityRecord | null; readonly live: LivePages; readonly glance: FeedGlance | null },
): PageContent => {
  const provenance = options.provenance?.(endpoint.path) ?? noProvenance
  const fields = dataFields(endpoint)
  const first = glance === null || !isView(endpoint) ? [] : [glanceSection(endpoint, glance)]
  const reply = shownReply(endpoint, options)
  const data = dataSection(endpoint, reply, { fields, live })
  const call = [
    trySection(endpoint),
    codeSection(endpoint, provenance.tables, address),
    changesSection(endpoint, options.endpoints),
    glance === null ? null : embedSection(endpoint, address),
    priceSection(endpoint),
  ].filter((one) => one !== null)
  const origin = [
    sourcesSection(provenance),
    reliabilitySection(
      provenance.monitored,
      reliabilityIn(options.store, options.nowMs()),
      record,
      options.keepsHistory,
    ),
    historySection(provenance, options.keepsHistory),
  ].filter((one) => one !== null)
  const sections = [...first, data, ...call, ...origin]
  const notices = noticesOf(endpoint)
  const subject = endpoint.subject === null ? null : subjects[endpoint.subject]
  const jsonLd = datasetJsonLd(endpoint, { address, upstreams: provenance.upstreams, fields })
  return {
    title: endpoint.summary,
    description: `${endpoint.description} ${priceOf(endpoint)}`.trim(),
    width: "wide",
    head: html`<script type="application/ld+json">${scriptJson(jsonLd)}</script>${atomLink(endpoint, options)}`,
    modules: ["age.js", "copy.js", "feed-live.js", "tabs.js", "try.js"],
    html: () => html`<p class="small soft"><a href="/feeds">Feeds</a>${subject === null ? null : html` › <a href="/feeds#${endpoint.subject}">${subject}</a>`}</p>
${notices.map((notice) => html`<p class="notice">${notice}</p>`)}
${reply.state === "example" ? null : standingHtml(reply)}
${first.map(sectionHtml)}
<p class="lead">${withCode(endpoint.description)}</p>
${factsHtml(endpoint)}
${(options.past ?? null) !== null && showsPast(endpoint) && pastForm(feedPagePath(endpoint), null)}
${contentsHtml(sections)}
${panelsHtml(data, call)}
${origin.map(sectionHtml)}`,
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

/** What the page shows of an instant: the reply that was known then, and where its data comes from. */
const pastContent = (endpoint: ViewEndpoint, { options }: ApiTools, reply: PastReply): PageContent => {
  const {
    parameters,
    meta: { known_at: at },
  } = reply
  const provenance = options.provenance?.(endpoint.path) ?? noProvenance
  const first = reply.glance === null ? [] : [glanceSection(endpoint, reply.glance)]
  const origin = [
    pastDataSection(endpoint, reply, dataFields(endpoint)),
    sourcesSection(provenance),
    historySection(provenance),
  ]
  const sections = [...first, ...origin]
  const path = feedPagePath(endpoint)
  const rest = "How it is called, its reliability and its changes stand on the page of the present."
  return {
    title: `At ${instantText(at)}: ${endpoint.summary}`,
    heading: endpoint.summary,
    description: `${endpoint.description} As it was known at ${instantText(at)}.`,
    width: "wide",
    modules: ["age.js", "copy.js"],
    html: () => html`${first.map(sectionHtml)}
<p class="lead">${withCode(endpoint.description)}</p>
${pastForm(path, at, parameters)}
${factsHtml(endpoint, at)}
<p class="small soft">${rest} <a href="${linkAt("/", at)}">The world at this instant</a></p>
${origin.map(sectionHtml)}`,
    markdown: () =>
      markdownPieces([
        { text: endpoint.description },
        { text: rest },
        ...sections.flatMap(({ heading, pieces: own }): ReadonlyArray<Piece> => [{ heading }, ...own]),
      ]),
  }
}

/** An endpoint of data: what it is, its reply and fields, how it is called, and where its data comes from. */
export default sitePage({
  path: "/feeds/:name",
  name: "page_feed",
  keptMs: KEPT_MS,
  policy: FORM_POLICY,
  names: ({ options }) => options.endpoints.filter(isData).map(feedPageName),
  make: (tools) => {
    const byName = new Map(tools.options.endpoints.filter(isData).map((one) => [feedPageName(one), one]))
    const live = livePages(tools.options)
    const reliability = recentReliability(tools.options)
    return async (request) => {
      const endpoint = byName.get(request.name ?? "")
      return endpoint === undefined
        ? null
        : makePage(endpoint, tools, request, {
            record: await reliability.awaited(),
            live,
            glance: isView(endpoint) ? await glanceNow(endpoint, tools) : null,
          })
    }
  },
  makePast: (tools) => {
    const byName = new Map(tools.options.endpoints.filter(isData).map((one) => [feedPageName(one), one]))
    return async (request) => {
      const endpoint = byName.get(request.name ?? "")
      if (endpoint === undefined) return null
      if (!showsPast(endpoint)) return noPastOfPage()
      const reply = await pastReply(endpoint, tools, request)
      if ("status" in reply) return reply
      const { meta, parameters } = reply
      return { content: pastContent(endpoint, tools, reply), meta, parameters }
    }
  },
})
