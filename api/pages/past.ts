import { readInstant } from "../../schemas/contract/parameters.ts"
import type { PastMeta } from "../../schemas/contract/reply.ts"
import { instanceKey, type Parameters } from "../../schemas/feed.ts"
import type { RequestQuery } from "../http/parameters.ts"
import { type ProblemReply, problem } from "../http/problems.ts"
import { invalidAt } from "../past/refusals.ts"
import { instantText } from "./assets/world-view.js"
import { type Html, html } from "./html.ts"

// What pages of the past have in common: the banner that says so, links that stay in the past, and the form that leads there.

/** The parameter of the form: a browser's field for an instant has no zone, and so is read as UTC. */
const FIELD = "utc"
const LOCAL = /^\d{4}-\d\d-\d\dT\d\d:\d\d(?::\d\d(?:\.\d{1,3})?)?$/
const MINUTE_CHARACTERS = "2026-08-17T20:35".length

/** The policy of a page with the form, which stays within this service. */
export const FORM_POLICY = { "form-action": "'self'" }

/** The instant of a page of the past, and where the same page shows the present. */
export interface PagePast {
  readonly meta: PastMeta
  readonly present: string
}

/** A link within this service, to what was known at an instant; as it is without one. */
export const linkAt = (href: string, at: string | null): string =>
  at === null ? href : `${href}${href.includes("?") ? "&" : "?"}at=${at}`

/** The banner of a page of the past. It stays in sight while the page is scrolled. */
export const pastBanner = ({ meta, present }: PagePast): Html =>
  html`<aside class="past" aria-label="Past"><strong>The past, at <time datetime="${meta.known_at}">${instantText(meta.known_at)}</time></strong> <a href="${present}">Show the present</a></aside>`

/** The same in Markdown, below the title. */
export const pastNote = ({ meta, present }: PagePast): string =>
  `> The past, as it was known at ${instantText(meta.known_at)} (${meta.known_at}). [The present](${present})\n\n`

/** The form that leads to a page as it was. It needs no script. `at`: the instant that the page shows; null for the present. */
export const pastForm = (action: string, at: string | null, parameters: Parameters = {}): Html =>
  html`<form class="at" action="${action}" method="get">
${Object.entries(parameters).map(([name, value]) => html`<input type="hidden" name="${name}" value="${value}">`)}<label for="at-utc">As it was at (UTC)</label>
<input id="at-utc" type="datetime-local" name="${FIELD}" value="${at?.slice(0, MINUTE_CHARACTERS)}" required>
<button type="submit">Show</button>
</form>`

/** Where a request of the form leads: the address of the instant, or the refusal of what is none. Null for other requests. */
export const formTarget = (
  path: string,
  { [FIELD]: utc, at: _, ...query }: RequestQuery,
): string | ProblemReply | null => {
  if (utc === undefined) return null
  const at = typeof utc === "string" && LOCAL.test(utc) ? readInstant(`${utc}Z`) : null
  if (at === null) return invalidAt(utc)
  const others = Object.entries(query).flatMap(([name, value]) => (typeof value === "string" ? [[name, value]] : []))
  return linkAt(instanceKey(path, Object.fromEntries(others)), at)
}

/** 404: a page that shows the present alone. */
export const noPastOfPage = (): ProblemReply =>
  problem(404, "no_history", "This page shows the present alone: there is no past of it.", { parameter: "at" })
