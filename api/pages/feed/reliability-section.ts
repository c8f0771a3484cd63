import {
  type FeedReliability,
  type FeedScore,
  feedReliabilityEndpoint,
} from "../../../schemas/endpoints/feed-reliability.ts"
import { STATUS_DAYS, STATUS_PATH } from "../../../schemas/endpoints/status.ts"
import type { ReliabilityRecord } from "../../status/reliability.ts"
import type { ViewStore } from "../../views/store.ts"
import { instantText } from "../assets/world-view.js"
import { type Html, html } from "../html.ts"
import { type Section, section } from "../page.ts"
import { barsLegend, daysSummary, reliabilityBars } from "../reliability-bars.ts"

/** Rows of an endpoint that is made of many feeds, the weakest first. */
const ROWS_MAX = 12

/** The reliability table, and whether the monitor still judges. */
interface Judged {
  readonly table: FeedReliability
  readonly isCurrent: boolean
}

/** The reliability table of the store; null while there is none. */
export const reliabilityIn = (store: ViewStore, nowMs: number): Judged | null => {
  const entry = store.dataOf(feedReliabilityEndpoint.path)
  const bytes = entry?.data?.bytes
  if (bytes === undefined) return null
  const staleAfter = entry?.freshness?.staleAfter ?? null
  // The processor made it by this schema.
  return { table: JSON.parse(bytes.toString()), isCurrent: staleAfter === null || nowMs <= Date.parse(staleAfter) }
}

const percent = (share: number): string => `${(Math.floor(share * 10_000) / 100).toFixed(2)} %`

const states = { ok: "good", stale: "warn", dark: "bad" } as const

const verdictTexts: Readonly<Record<FeedScore["status"], string>> = {
  ok: "on time",
  stale: "stale: an older value is served",
  dark: "no data: no value younger than 24 hours",
}

const numbers = ["On time, up to 7 days", "With a value, up to 7 days", "Verdicts, each 5 minutes"]
/** The column of days is read from the history. */
const headOf = (keepsHistory: boolean, isCurrent: boolean) => [
  "Feed",
  isCurrent ? "Now" : "At the last check",
  ...(keepsHistory ? [`${STATUS_DAYS} days`] : []),
  ...numbers,
]

const barsOf = (feed: string, record: ReliabilityRecord | null): Html =>
  reliabilityBars(record?.feeds.get(feed)?.days ?? null, record?.firstDay ?? "", feed)

const daysText = (feed: string, record: ReliabilityRecord | null): string => {
  const days = record?.feeds.get(feed)?.days
  return days === undefined ? "history unavailable" : daysSummary(days)
}

const row = (
  { feed, status, uptime, availability, checks, low_coverage }: FeedScore,
  record: ReliabilityRecord | null,
  { keepsHistory, isCurrent }: { readonly keepsHistory: boolean; readonly isCurrent: boolean },
): Html =>
  html`<tr><td><code>${feed}</code></td><td><span class="state ${isCurrent ? states[status] : "missed"}">${verdictTexts[status]}</span></td>${keepsHistory && html`<td>${barsOf(feed, record)}</td>`}<td class="number">${percent(uptime)}</td><td class="number">${percent(availability)}</td><td class="number">${checks}${low_coverage && " (few)"}</td></tr>
`

const headHtml = (head: ReadonlyArray<string>) =>
  html`<tr>${head.map((text) => html`<th scope="col"${numbers.includes(text) && html` class="number"`}>${text}</th>`)}</tr>`

const how = `Judged every five minutes. The whole table: ${feedReliabilityEndpoint.path}.`

/**
 * How reliable the feeds have been that an endpoint is made of: the last 7 days by the table, the days before by the record
 * of the history, which is null where it cannot be read now, and left out where none is kept.
 */
export const reliabilitySection = (
  monitored: ReadonlyArray<string>,
  judged: Judged | null,
  record: ReliabilityRecord | null,
  keepsHistory = true,
): Section => {
  const name = (text: string): Section => section("reliability", "Reliability", [{ text }])
  if (monitored.length === 0) return name("Made of no upstream, so none is judged.")
  if (judged === null)
    return name("Not known now: the monitor has not judged the feeds yet, or its table is not offered here.")
  const { table, isCurrent } = judged
  const head = headOf(keepsHistory, isCurrent)
  const ids = new Set(monitored)
  const rows = [...table.feeds, ...table.low_coverage]
    .filter(({ feed }) => ids.has(feed))
    .sort((one, other) => one.uptime - other.uptime || (one.feed < other.feed ? -1 : 1))
  const resting = table.not_configured.filter(({ feed }) => ids.has(feed))
  const restText = resting.map(({ feed, reason }) => `${feed} is not polled here (${reason}).`).join(" ")
  if (rows.length === 0) return name(restText === "" ? "Fetched on request, so no schedule is judged." : restText)
  const shown = rows.slice(0, ROWS_MAX)
  const more = rows.length > shown.length ? `The weakest ${shown.length} of ${rows.length} are shown. ` : ""
  const since = isCurrent ? "" : `The monitor has stopped: nothing was judged since ${instantText(table.captured_at)}. `
  const text = `${since}${more}${restText}${restText === "" ? "" : " "}${how}`
  return section(
    "reliability",
    "Reliability",
    [
      {
        table: {
          head,
          rows: shown.map(({ feed, status, uptime, availability, checks }) => [
            feed,
            verdictTexts[status],
            ...(keepsHistory ? [daysText(feed, record)] : []),
            percent(uptime),
            percent(availability),
            String(checks),
          ]),
        },
      },
      { text },
    ],
    html`<div class="scroll" tabindex="0"><table>
<thead>${headHtml(head)}</thead>
<tbody>${shown.map((one) => row(one, record, { keepsHistory, isCurrent }))}</tbody></table></div>
${record !== null && barsLegend()}
<p class="small soft">${text} Outages: <a href="${STATUS_PATH}">${STATUS_PATH}</a>.</p>`,
  )
}
