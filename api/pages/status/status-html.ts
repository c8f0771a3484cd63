import { type FeedStatus, isWell, OUTAGE_DAYS, STATUS_DAYS, type Status } from "../../../schemas/endpoints/status.ts"
import { type Html, html } from "../html.ts"
import { dataTableHtml } from "../html-table.ts"
import { htmlOf, type Piece } from "../page.ts"
import { barsAxis, barsLegend, dayRunText, reliabilityBars, unwellDays, unwellSummary } from "../reliability-bars.ts"
import { type FeedName, groupsOf } from "./names.ts"
import { noOutagesText, outageTable } from "./pieces.ts"
import {
  type Look,
  minuteText,
  partLooks,
  partTexts,
  restTexts,
  sharesOf,
  stateNames,
  unwellIn,
  verdictLooks,
  verdictNames,
  verdictOf,
  verdictTexts,
} from "./words.ts"

type NameOf = (feed: string) => FeedName

const state = (look: Look, text: string): Html => html`<span class="state ${look}">${text}</span>`

/** An instant; a script keeps its age true. */
const time = (iso: string): Html => html`<time datetime="${iso}">${minuteText(iso)} UTC</time>`
const age = (iso: string): Html => html`<time datetime="${iso}" data-age>${minuteText(iso)} UTC</time>`

/** A part of the page that the script exchanges when it has changed. */
const section = (part: string, heading: string, content: Html): Html =>
  html`<section data-part="${part}">
<h2>${heading}</h2>
${content}
</section>`

const verdict = (status: Status, nowMs: number): Html => {
  const { look, text } = verdictOf(status, nowMs)
  return html`<div class="verdict ${look}" data-part="verdict">
<p>${state(look, text)}</p>
<p class="soft small">${status.captured_at === null ? "The first check follows the first polls." : html`Checked ${age(status.captured_at)}, every 5 minutes.`}</p>
</div>`
}

/** A judged feed in the words of a reader, with what programs call it. */
const nameHtml = ({ feed, name }: Pick<FeedStatus, "feed" | "name">, nameOf: NameOf): Html => {
  const { title, page } = nameOf(feed)
  const shown = page === null ? title : html`<a href="${page}">${title}</a>`
  return html`<b>${shown}</b> <span class="soft small"><code>${feed}</code> ${name}</span>`
}

const unwell = (status: Status, nameOf: NameOf): Html | null => {
  const feeds = unwellIn(status)
  if (feeds.length === 0) return null
  return html`<ul class="unwell">${feeds.map(
    (one) => html`<li>${state(verdictLooks[one.status], verdictNames[one.status])}
<span>${nameHtml(one, nameOf)}<br>
${verdictTexts[one.status]}, since ${time(one.since)} <span class="soft">(${age(one.since)})</span></span></li>
`,
  )}</ul>`
}

const parts = ({ parts: listed }: Status): Html =>
  listed.length === 0
    ? html`<p>The states of the parts are not known here.</p>`
    : html`<ul class="parts">${listed.map(
        ({ part, state: now, since }) =>
          html`<li><span>${partTexts[part]}</span> ${state(partLooks[now], stateNames[now])} <span class="soft small">since ${time(since)}</span></li>
`,
      )}</ul>`

const share = ({ window, share: value, text }: ReturnType<typeof sharesOf>[number]): Html =>
  html`<div><dt>${window}</dt><dd>${value === null ? html`<span class="soft">${text}</span>` : text}</dd></div>`

const unwellDaysOf = ({ feed, days }: FeedStatus, firstDay: string): Html | null => {
  if (days === null) return null
  const summary = unwellSummary(days)
  if (summary === "") return null
  return html`<details><summary>${summary}<span class="unseen"> of ${feed}</span></summary>
<ul>${unwellDays(days, firstDay).map((run) => html`<li>${dayRunText(run)}</li>`)}</ul></details>`
}

/** The days of a feed; nothing where no history is kept. */
const daysOf = ({ days, feed }: FeedStatus, { first_day: firstDay, history }: Status): Html | null =>
  history === "kept"
    ? html`<div class="days">${reliabilityBars(days, firstDay, feed)}<p class="day small soft" aria-hidden="true"></p></div>
`
    : null

const row = (one: FeedStatus, status: Status, nameOf: NameOf): Html => html`<li data-feed="${one.feed}">
<p class="name">${nameHtml(one, nameOf)}</p>
<p class="now">${state(verdictLooks[one.status], verdictNames[one.status])}</p>
${daysOf(one, status)}<dl class="shares">${sharesOf(one, status.history).map(share)}</dl>
${unwellDaysOf(one, status.first_day)}</li>
`

const feeds = (status: Status, nameOf: NameOf): Html => {
  const rows = groupsOf(status.feeds, nameOf).map(
    (group) => html`<h3>${group.heading}</h3>
<ul class="reliability">${group.feeds.map((one) => row(one, status, nameOf))}</ul>
`,
  )
  if (status.feeds.length === 0) return html`<p>Nothing has been checked yet.</p>`
  return status.history === "kept"
    ? html`${barsLegend()}
${rows}
<p class="axis small soft">${barsAxis(status.first_day)}</p>`
    : html`${rows}`
}

const outages = (status: Status, nameOf: NameOf): Html => {
  const table = outageTable(status, nameOf)
  return table === null ? html`<p>${noOutagesText(status)}</p>` : dataTableHtml(table)
}

/** The page: the verdict first, then what is not well, the service itself, and every feed. */
export const statusHtml = (status: Status, nowMs: number, measured: ReadonlyArray<Piece>, nameOf: NameOf): Html => {
  const allWell = status.feeds.every((one) => isWell(one.status))
  return html`${verdict(status, nowMs)}
<p class="offline" role="status" hidden>This page could not be refreshed. It is shown as it was.</p>
${section("unwell", "Degraded now", allWell ? html`<p>${status.feeds.length === 0 ? "Not known yet." : "Nothing."}</p>` : html`${unwell(status, nameOf)}`)}
${section("parts", "This service", parts(status))}
${section("feeds", `Feeds over up to ${status.history === "kept" ? STATUS_DAYS : OUTAGE_DAYS} days`, feeds(status, nameOf))}
${section("outages", `Outages of the last ${OUTAGE_DAYS} days`, outages(status, nameOf))}
${
  status.not_polled.length === 0
    ? null
    : section(
        "resting",
        "Not polled here",
        html`<ul>${status.not_polled.map(
          ({ feed, name, reason }) => html`<li>${nameHtml({ feed, name }, nameOf)}: ${restTexts[reason]}</li>`,
        )}</ul>`,
      )
}
<section class="measured">
<h2>How this is measured</h2>
${htmlOf(measured)}
</section>`
}
