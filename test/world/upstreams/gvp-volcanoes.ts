import { simulatedUpstream } from "../upstream.ts"
import type { World } from "../world.ts"

const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS
const WEEK_MS = 7 * DAY_MS
/** The first Thursday after the epoch was its first day. Issues appear on Thursdays, some of them late. */
const ISSUED_FROM_MS = 12 * HOUR_MS
const LATE_MAX_MS = 20 * HOUR_MS

const mountains = [
  ["Mount Sable", "Syldavia", 257_040, -16.25, 168.12],
  ["Ancón del Niño", "San Theodoros", 357_070, -36.868, -71.378],
  ["Isla Borrón (North)", "San Theodoros", 357_060, -35.24, -70.57],
  ["Zmiltchka", "Borduria", 290_360, 50.324, 155.461],
  ["Little Kurat", "Khemed", 262_000, -6.1009, 105.4233],
  ["Unnamed", "Undersea Features", 284_141, 20.437, 145.03],
  ["Tangaroa", "Qurac", 268_030, 1.4941, 127.6324],
  ["Planina-Petrova", "Borduria-Syldavia", 300_270, 56.056, 160.642],
  ["Great Auk", "United States", 311_120, 52.076, -176.13],
  ["Kestrel Crater", "Japan", 282_080, 31.5772, 130.6589],
] as const

const months = "January February March April May June July August September October November December".split(" ")
const dayAndMonth = (ms: number): string => {
  const day = new Date(ms)
  return `${day.getUTCDate()} ${months[day.getUTCMonth()]}`
}

/** In the order in which an issue lists them. */
const categories = ["New Eruptive Activity", "New Unrest", "Continuing Eruptive Activity", "Continuing Unrest"] as const

/** A report of the world, as its issue words it. */
interface WorldReport {
  readonly name: string
  readonly country: string
  readonly number: number
  readonly latitude: number
  readonly longitude: number
  readonly category: (typeof categories)[number]
}

/** An issue of the world. */
export interface WorldIssue {
  readonly publishedMs: number
  readonly period: string
  readonly reports: ReadonlyArray<WorldReport>
}

const issueOfWeek = (world: World, week: number): WorldIssue => {
  const thursdayMs = week * WEEK_MS
  const lateMs = Math.floor((world.random("volcanoes", week, "late") * LATE_MAX_MS) / 1000) * 1000
  const lastMs = thursdayMs - 2 * DAY_MS
  const reports = mountains
    .filter(([name]) => world.random("volcanoes", week, name) < 0.8)
    .map(([name, country, number, latitude, longitude]) => ({
      name,
      country,
      number,
      latitude,
      longitude,
      category:
        categories[Math.floor(world.random("volcanoes", week, name, "category") * categories.length)] ?? categories[0],
    }))
    .sort((one, other) => categories.indexOf(one.category) - categories.indexOf(other.category))
  return {
    publishedMs: thursdayMs + ISSUED_FROM_MS + lateMs,
    period: `${dayAndMonth(lastMs - 6 * DAY_MS)}-${dayAndMonth(lastMs)} ${new Date(lastMs).getUTCFullYear()}`,
    reports,
  }
}

/** The latest issue of the world. */
export const latestIssue = (world: World): WorldIssue => {
  const week = Math.floor(world.nowMs / WEEK_MS)
  const issue = issueOfWeek(world, week)
  return issue.publishedMs <= world.nowMs ? issue : issueOfWeek(world, week - 1)
}

/** The clock on the East coast in summer, all year round: the channel names another zone for the same clock. */
const easternClock = (ms: number): string => new Date(ms - 4 * HOUR_MS).toUTCString().replace(" GMT", "")

const rss = ({ publishedMs, period, reports }: WorldIssue): string => {
  const clock = easternClock(publishedMs)
  const items = reports.map(
    ({ name, country, number, latitude, longitude, category }) => `
<item>
<title>${name} (${country}) - Report for ${period} - ${category}</title>
<description>
&lt;p&gt;The Observatorio Geológico (OG) reported that ash plumes at ${name}?s summit rose 300-800 m and drifted NW during ${period}. Incandescence was visible in some nighttime webcam images, and seismicity remained at elevated levels. The Alert Level remained at 2 (on a scale of 0-5) and the public was warned to stay 2 km away from the active crater, outside of the ?Permanent Danger Zone?. &lt;/p&gt;
&lt;p&gt;Sources: Observatorio Geológico (OG),World Ash Advisory Center&lt;/p&gt;
</description>
<link>https://volcano.si.edu/reports_weekly.cfm</link>
<guid isPermaLink="true">https://volcano.si.edu/reports_weekly.cfm#vn_${number}</guid>
<pubDate>${clock} -0400</pubDate>
<georss:point>${latitude.toFixed(4)} ${longitude.toFixed(4)}</georss:point>
</item>
`,
  )
  return `<?xml version="1.0" encoding="ISO-8859-1"?>
<rss version="2.0"
      xmlns:georss="http://www.georss.org/georss"
      xmlns:atom="https://www.w3.org/2005/Atom">
	<channel>
		<title>Smithsonian / USGS Weekly Volcanic Activity Report</title>
		<link>https://volcano.si.edu/reports_weekly.cfm</link>
		<description>Preliminary notices, subject to change as events are studied in more detail.</description>
		<language>en-us</language>
		<atom:link href="https://volcano.si.edu/news/WeeklyVolcanoRSS.xml" rel="self" type="application/rss+xml" />
		<pubDate>${clock} -0500</pubDate>
${items.join("")}
	</channel>
</rss>
`
}

export default simulatedUpstream({
  name: "gvp-volcanoes",
  hosts: ["volcano.si.edu"],
  answer: ({ path }, world) =>
    path === "/news/WeeklyVolcanoRSS.xml"
      ? { contentType: "application/rss+xml", body: Buffer.from(rss(latestIssue(world)), "latin1") }
      : null,
})
