import { simulatedUpstream } from "../upstream.ts"
import type { World } from "../world.ts"

const MINUTE_MS = 60_000
const HOUR_MS = 60 * MINUTE_MS
const DAY_MS = 24 * HOUR_MS
/** Halts that are over stay in the list for a day. */
const LISTED_MS = DAY_MS
/** The minutes of each day (UTC) in which the list is empty: a few polls, as tests of the service run at any time. */
const EMPTY_FROM_MS = 4.5 * HOUR_MS
const EMPTY_MS = 10 * MINUTE_MS

const issuers = [
  ["TIDE", "Tidewater Robotics, Inc."],
  ["TIDE.W", "Tidewater Robotics, Inc. Redeemable Warrants"],
  ["KSTL", "Kestrel Launch & Freight Ord Shrs"],
  ["BORD", "Borduria Aerospace ADR"],
  ["SYLD", "Syldavian Mineral Water Cl A Ord"],
  ["AUKX", "Great Auk 2x Long Daily ETF"],
] as const
const markets = ["NASDAQ", "NYSE", "AMEX", "NYSE Arca", "CBOE"] as const

/** A halt of the world, as the list has it at the world's time. */
export interface WorldHalt {
  readonly symbol: string
  readonly name: string
  readonly market: string
  readonly code: string
  readonly haltedMs: number
  readonly quoteMs: number | null
  readonly resumptionMs: number | null
}

/** One that no exchange has ended for years. */
const OLDEST: WorldHalt = {
  symbol: "RELIC",
  name: "Relic Biotech, Ltd Ord Shrs",
  market: "NASDAQ",
  code: "T12",
  haltedMs: Date.parse("2019-02-22T21:02:01.000Z"),
  quoteMs: null,
  resumptionMs: null,
}

/** The halts that the list holds, latest first: pauses of minutes, halts for news that are resumed, and ones that last. */
export const listedHalts = (world: World): ReadonlyArray<WorldHalt> => {
  const { nowMs } = world
  const ofDayMs = nowMs % DAY_MS
  if (ofDayMs >= EMPTY_FROM_MS && ofDayMs < EMPTY_FROM_MS + EMPTY_MS) return []
  const recent = world.happenings("trade halt", 3, nowMs - LISTED_MS, nowMs).map(({ atMs, random }): WorldHalt => {
    const [symbol, name] = issuers[Math.floor(random("issuer") * issuers.length)] ?? issuers[0]
    const market = markets[Math.floor(random("market") * markets.length)] ?? markets[0]
    const halt = { symbol, name, market, haltedMs: atMs }
    const kind = random("kind")
    if (kind < 0.6) return { ...halt, code: "LUDP", quoteMs: atMs, resumptionMs: atMs + 5 * MINUTE_MS }
    if (kind < 0.7) return { ...halt, code: "T12", quoteMs: null, resumptionMs: null }
    // The end of a halt for news is announced half an hour ahead.
    const resumptionMs = Math.ceil(atMs / MINUTE_MS) * MINUTE_MS + Math.floor(60 + random("length") * 240) * MINUTE_MS
    return nowMs < resumptionMs - 30 * MINUTE_MS
      ? { ...halt, code: "T1 ", quoteMs: null, resumptionMs: null }
      : { ...halt, code: "T3", quoteMs: resumptionMs - 5 * MINUTE_MS, resumptionMs }
  })
  return [...recent.toReversed(), OLDEST]
}

const wall = new Intl.DateTimeFormat("en-US", {
  timeZone: "America/New_York",
  hourCycle: "h23",
  year: "numeric",
  month: "2-digit",
  day: "2-digit",
  hour: "2-digit",
  minute: "2-digit",
  second: "2-digit",
  fractionalSecondDigits: 3,
})

/** Day and time of day in New York, as the exchange writes them. */
const eastern = (ms: number | null): readonly [day: string, time: string] => {
  if (ms === null) return ["", ""]
  const [day = "", time = ""] = wall.format(ms).split(", ")
  return [day, time]
}

const element = (name: string, text: string): string =>
  text === "" ? `<ndaq:${name} />` : `<ndaq:${name}>${text.replaceAll("&", "&amp;")}</ndaq:${name}>`

const item = (halt: WorldHalt): string => {
  const [day, time] = eastern(halt.haltedMs)
  const [resumptionDay, resumptionTime] = eastern(halt.resumptionMs)
  const [, quoteTime] = eastern(halt.quoteMs)
  const [month = "", date = "", year = ""] = day.split("/")
  return [
    "    <item>",
    `      <title>${halt.symbol}</title>`,
    `      <pubDate>${new Date(Date.UTC(Number(year), Number(month) - 1, Number(date), 4)).toUTCString()}</pubDate>`,
    `      ${element("HaltDate", day)}`,
    // Halts of some years ago have no milliseconds.
    `      ${element("HaltTime", halt === OLDEST ? time.slice(0, 8) : time)}`,
    `      ${element("IssueSymbol", halt.symbol)}`,
    `      ${element("IssueName", halt.name)}`,
    `      ${element("Market", halt.market)}`,
    `      ${element("ReasonCode", halt.code)}`,
    `      ${element("PauseThresholdPrice", halt.code === "LUDP" ? (2 + (halt.haltedMs % 900) / 100).toFixed(4) : "")}`,
    `      ${element("ResumptionDate", resumptionDay)}`,
    `      ${element("ResumptionQuoteTime", quoteTime.slice(0, 8))}`,
    `      ${element("ResumptionTradeTime", resumptionTime.slice(0, 8))}`,
    `      <description><![CDATA[<table width="100%"><tr><th align="left">Halt Date</th></tr><tr><td valign="top">${day}      </td></tr></table>]]></description>`,
    "    </item>",
  ].join("\r\n")
}

const rss = (world: World): string => {
  const halts = listedHalts(world)
  return [
    '<?xml version="1.0" encoding="utf-8"?>',
    '<rss version="2.0" xmlns:ndaq="http://www.nasdaqtrader.com/">',
    "  <channel>",
    "    <title>NASDAQTrader.com</title>",
    "    <link>http://www.nasdaqtrader.com</link>",
    "    <description>NASDAQ Trade Halts</description>",
    `    <pubDate>${new Date(world.nowMs).toUTCString()}</pubDate>`,
    "    <ttl>1</ttl>",
    `    <ndaq:numItems>${halts.length}</ndaq:numItems>`,
    ...halts.map(item),
    "  </channel>",
    "</rss>",
  ].join("\r\n")
}

export default simulatedUpstream({
  name: "nasdaq-halts",
  hosts: ["www.nasdaqtrader.com"],
  answer: ({ path, query }, world) =>
    path === "/rss.aspx" && query.get("feed") === "tradehalts"
      ? { contentType: "text/xml; charset=utf-8", body: rss(world) }
      : null,
})
