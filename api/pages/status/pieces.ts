import type { Endpoint } from "../../../schemas/contract/endpoint-kinds.ts"
import { usdOfCredits } from "../../../schemas/contract/refusal.ts"
import { feedReliabilityEndpoint } from "../../../schemas/endpoints/feed-reliability.ts"
import { proFeedReliabilityEndpoint } from "../../../schemas/endpoints/pro-feed-reliability.ts"
import { proFeedReliabilityHistoryEndpoint } from "../../../schemas/endpoints/pro-feed-reliability-history.ts"
import {
  dayTexts,
  type FeedStatus,
  isWell,
  OUTAGE_DAYS,
  type Status,
  statusEndpoint,
} from "../../../schemas/endpoints/status.ts"
import { dataTable } from "../html-table.ts"
import { markdownPieces, type Piece, type Table } from "../page.ts"
import { dayRunText, daysSummary, dayWords, unwellDays } from "../reliability-bars.ts"
import { type FeedName, groupsOf } from "./names.ts"
import {
  CHECK_TEXT,
  lengthText,
  minuteText,
  partTexts,
  restTexts,
  sharesOf,
  unwellIn,
  verdictOf,
  verdictTexts,
} from "./words.ts"

type NameOf = (feed: string) => FeedName

/** The outages as a table; null where the history cannot be read or there was none. */
export const outageTable = ({ outages }: Status, nameOf: NameOf): Table | null =>
  outages === null || outages.length === 0
    ? null
    : {
        head: ["Feed", "From", "Until", "Length", "What was served"],
        rows: outages.map(({ feed, from, until, minutes, worst }) => [
          nameOf(feed).title === feed ? feed : `${nameOf(feed).title} (${feed})`,
          from,
          until ?? "goes on",
          lengthText(minutes),
          worst === "dark" ? "no value younger than 24 hours" : "an older value",
        ]),
      }

/** What is said in place of the outages. */
export const noOutagesText = ({ outages, history }: Status): string =>
  history === "not_configured"
    ? "This installation keeps no history, so no outage is recorded. What is degraded now stands above."
    : outages === null
      ? "The history cannot be read at the moment. What is degraded now stands above."
      : `No outage began in the last ${OUTAGE_DAYS} days.`

/** Where the numbers of the days are, of the endpoints that are offered here. */
const soldText = (offered: ReadonlyArray<Endpoint>): string =>
  [
    { endpoint: proFeedReliabilityHistoryEndpoint, holds: "the numbers of each day, of up to a year" },
    { endpoint: proFeedReliabilityEndpoint, holds: "what stands behind each score, with a signed receipt" },
  ]
    .filter(({ endpoint: { path } }) => offered.some((one) => one.path === path))
    .map(
      ({ endpoint: { path, credits }, holds }) =>
        `${path} has ${holds} (${credits} credits, ${usdOfCredits(credits)} USD).`,
    )
    .join(" ")

/** How the page is made, and where the numbers are. */
export const measuredPieces = (offered: ReadonlyArray<Endpoint>): ReadonlyArray<Piece> => {
  const sold = soldText(offered)
  const isOffered = offered.some(({ path }) => path === feedReliabilityEndpoint.path)
  return [
    {
      text: `${CHECK_TEXT} On time means that ${verdictTexts.ok} (ok for programs), stale that ${verdictTexts.stale}, no data that ${verdictTexts.dark} (dark for programs). Percentages are verdicts on time out of all verdicts. Days are UTC days. While this service itself is down nothing is checked and nothing is judged in retrospect: such time counts neither for nor against a feed.`,
    },
    {
      list: Object.entries(dayTexts).map(([state, text]) => `${dayWords[state as keyof typeof dayTexts]}: ${text}`),
    },
    {
      links: [
        { title: statusEndpoint.path, href: statusEndpoint.path, note: "this page for programs" },
        ...(isOffered
          ? [
              {
                title: feedReliabilityEndpoint.path,
                href: feedReliabilityEndpoint.path,
                note: "scores over 7 days, free",
              },
            ]
          : []),
      ],
    },
    ...(sold === "" ? [] : [{ text: sold }]),
  ]
}

const days = ({ feed, days: letters }: FeedStatus, firstDay: string): string =>
  letters === null
    ? `${feed}: history unavailable`
    : [`${feed}: ${daysSummary(letters)}`, ...unwellDays(letters, firstDay).map(dayRunText)].join("; ")

const feedTable = (feeds: Status["feeds"], history: Status["history"], nameOf: NameOf): Table => ({
  head: ["Name", "Feed", "Source", "Now", "24 h", "7 days", ...(history === "kept" ? ["90 days"] : [])],
  rows: feeds.map((one) => [
    nameOf(one.feed).title,
    one.feed,
    one.name,
    isWell(one.status) ? one.status : `${one.status}: ${verdictTexts[one.status]}`,
    ...sharesOf(one, history).map(({ text }) => text),
  ]),
})

/** The page as Markdown, without its title. */
export const statusMarkdown = (
  status: Status,
  nowMs: number,
  measured: ReadonlyArray<Piece>,
  nameOf: NameOf,
): string => {
  const outages = outageTable(status, nameOf)
  return markdownPieces([
    { text: `${verdictOf(status, nowMs).text}.` },
    ...(status.captured_at === null ? [] : [{ text: `Checked ${minuteText(status.captured_at)} UTC.` }]),
    { heading: "Degraded now" },
    unwellIn(status).length === 0
      ? { text: status.feeds.length === 0 ? "Not known yet." : "Nothing." }
      : {
          list: unwellIn(status).map(
            (one) =>
              `${nameOf(one.feed).title} (${one.feed}): ${verdictTexts[one.status]}, since ${minuteText(one.since)} UTC`,
          ),
        },
    { heading: "This service" },
    {
      list: status.parts.map(
        ({ part, state, since }) => `${partTexts[part]}: ${state}, since ${minuteText(since)} UTC`,
      ),
    },
    ...groupsOf(status.feeds, nameOf).flatMap(
      (group): ReadonlyArray<Piece> => [
        { heading: group.heading },
        { table: feedTable(group.feeds, status.history, nameOf) },
      ],
    ),
    ...(status.history === "not_configured"
      ? []
      : [{ heading: "Days" }, { list: status.feeds.map((one) => days(one, status.first_day)) }]),
    { heading: `Outages of the last ${OUTAGE_DAYS} days` },
    outages === null ? { text: noOutagesText(status) } : { table: dataTable(outages) },
    ...(status.not_polled.length === 0
      ? []
      : [
          { heading: "Not polled here" },
          { list: status.not_polled.map(({ feed, name, reason }) => `${feed} (${name}): ${restTexts[reason]}`) },
        ]),
    { heading: "How this is measured" },
    ...measured,
  ])
}
