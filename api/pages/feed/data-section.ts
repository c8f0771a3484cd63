import { unitsOf } from "../../../schemas/contract/annotations.ts"
import { type Endpoint, isPremium } from "../../../schemas/contract/endpoint-kinds.ts"
import { layoutOf, MEMBERS_OF_DATA } from "../../../schemas/contract/envelope.ts"
import { BillingFacts, Meta, ReceiptMember } from "../../../schemas/contract/reply.ts"
import type { Json } from "../../../schemas/json.ts"
import { type Field, fieldsOf } from "../../../schemas/printers/fields.ts"
import { Components } from "../../../schemas/printers/openapi-components.ts"
import { CUT_NOTE, excerptOf, replyStateOf } from "../assets/reply-view.js"
import { detailText, instantText } from "../assets/world-view.js"
import { type Html, html } from "../html.ts"
import { type LivePages, saidHtml, streamAttribute } from "../live.ts"
import { htmlTable, type Section, section, type Table } from "../page.ts"
import type { ShownReply } from "./live-reply.ts"
import type { PastReply } from "./past-reply.ts"

/** The fields of an endpoint's data, with their units. */
export const dataFields = ({ data }: Pick<Endpoint, "data">): ReadonlyArray<Field> =>
  fieldsOf(new Components().schemaOf(data), { units: unitsOf(data) })

const fieldTable = (fields: ReadonlyArray<Field>): Table => ({
  head: ["Field", "Type", "Unit", "Meaning"],
  rows: fields.map(({ place, type, unit, description }) => [place, type, unit ?? "", description]),
})

/** The place of the data in a reply. */
const placeText = (endpoint: Endpoint): string =>
  "envelope" in endpoint && !layoutOf(endpoint.envelope).includes("data")
    ? "Places are from the reply itself: the data's members stand beside those of the envelope."
    : "Places are within data."

/** The members that stand beside the data, as every reply of this kind has them. */
const envelopeFields = (endpoint: Endpoint): ReadonlyArray<Field> => {
  const members = "envelope" in endpoint ? layoutOf(endpoint.envelope) : []
  const schemas = { billing: BillingFacts, receipt: ReceiptMember, _meta: Meta } as const
  return members.flatMap((place): ReadonlyArray<Field> => {
    if (place === MEMBERS_OF_DATA || place === "data") return []
    if (!(place in schemas)) return [{ place, type: "string", unit: null, description: envelopeTexts[place] ?? "" }]
    const schema = schemas[place as keyof typeof schemas]
    return fieldsOf(new Components().schemaOf(schema)).map((field) => ({ ...field, place: `${place}.${field.place}` }))
  })
}

const envelopeTexts: Readonly<Record<string, string>> = {
  source: "This service",
  endpoint: "The endpoint that was called",
  updated_at: "_meta.as_of: when the data was last confirmed; null while there is none",
  generated_at: "_meta.as_of: when the data was last confirmed; null while there is none",
}

/** The reply now has parts with names, by which the browser finds what it updates. */
const stateHtml = (reply: ShownReply): Html => {
  const { state, asOf, staleAfter } = reply
  if (state === "example") return html`<p class="small soft">${reply.reason}</p>`
  const { sign, words, rest } = replyStateOf({ ...reply, missing: reply.reason })
  return html`<p class="small"><span role="status"><span class="state ${sign}" data-reply-state>${words}</span></span><span data-reply-rest>${rest}</span><time data-reply-time data-stale-after="${staleAfter}" data-age${asOf === null ? null : html` datetime="${asOf}"`}>${asOf}</time></p>`
}

const stateText = ({ state, asOf, stale, reason }: ShownReply): string => {
  if (state === "example") return reason ?? ""
  if (state === "waiting") return `No data yet: ${reason}`
  return `${stale ? "Stale" : "Live"}, confirmed ${asOf ?? "never"}.`
}

/** What the browser needs to know to keep the reply current. */
const liveAttributes = ({ path }: Endpoint, { renderedAt }: ShownReply, live: LivePages): Html => {
  const { feeds, ttlMs, followsClock } = live.of(path)
  return html` data-reply="${path}" data-feeds="${feeds.join(" ")}" data-ttl-ms="${ttlMs}"${followsClock ? html` data-follows-clock` : null}${streamAttribute(live)} data-rendered-at="${renderedAt}"`
}

/** The section of a reply beside its fields: what stands around its text is that of now or of an earlier instant. */
const replySection = (
  endpoint: Endpoint,
  fields: ReadonlyArray<Field>,
  {
    title,
    body,
    words,
    ...parts
  }: {
    readonly title: string
    readonly body: Json
    /** The state of the reply, in words and in HTML. */
    readonly words: string
    readonly state: Html
    readonly attributes: Html | null
    readonly below: Html | null
  },
): Section => {
  const { text, isCut } = excerptOf(body)
  const cut = isCut ? CUT_NOTE : ""
  const own = fieldTable(fields)
  const around = fieldTable(envelopeFields(endpoint))
  return section(
    "data",
    "Data",
    [
      { text: `${title}. ${words} ${cut}`.trim() },
      { code: text, lang: isCut ? "text" : "json" },
      { text: `Fields. ${placeText(endpoint)}` },
      { table: own },
      { text: "Around the data:" },
      { table: around },
    ],
    html`<div class="beside stack">
<div class="reply"${parts.attributes}><h3>${title}</h3>
${parts.state}
<pre tabindex="0"><code data-reply-text>${text}</code></pre>
<p class="small soft"><span data-reply-cut>${cut}</span>${parts.below}</p></div>
<div><h3>Fields</h3>
<p class="small soft">${placeText(endpoint)}</p>
${htmlTable(own)}
<details><summary>Around the data: freshness, sources${isPremium(endpoint) && ", billing, receipt"}</summary>
${htmlTable(around)}</details></div>
</div>`,
  )
}

/** The reply of now beside its fields; the example where a call costs credits or a fetch. */
export const dataSection = (
  endpoint: Endpoint,
  reply: ShownReply,
  { fields, live }: { readonly fields: ReadonlyArray<Field>; readonly live: LivePages },
): Section => {
  const isExample = reply.state === "example"
  return replySection(endpoint, fields, {
    title: isExample ? "Example of a reply" : "The reply now",
    body: reply.body,
    words: stateText(reply),
    state: stateHtml(reply),
    attributes: isExample ? null : liveAttributes(endpoint, reply, live),
    below:
      isPremium(endpoint) || isExample
        ? null
        : html` <a href="${endpoint.path}">Open the whole reply</a> ${saidHtml()}`,
  })
}

const wordsThen = { good: "Current then", warn: "Stale then", missed: "No data then" } as const

/** The reply of an earlier instant beside its fields. */
export const pastDataSection = (endpoint: Endpoint, reply: PastReply, fields: ReadonlyArray<Field>): Section => {
  const { asOf, missing, address } = reply
  const { sign, rest: restNow } = replyStateOf(reply)
  // A past reply never changes, so "retrying" would be wrong here: the reason is shown without it.
  const rest = missing === null ? restNow : ` ${detailText(missing)}`
  const confirmed =
    asOf === null || missing !== null ? null : html`<time datetime="${asOf}">${instantText(asOf)}</time>`
  return replySection(endpoint, fields, {
    title: "The reply then",
    body: reply.body,
    words: `${wordsThen[sign]}${rest}${confirmed === null || asOf === null ? "" : instantText(asOf)}.`,
    state: html`<p class="small"><span class="state ${sign}">${wordsThen[sign]}</span>${rest}${confirmed}</p>`,
    attributes: null,
    below: html` <a href="${address}">Open the whole reply of then</a>`,
  })
}
