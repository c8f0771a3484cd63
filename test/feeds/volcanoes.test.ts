import { describe, expect, it } from "vitest"
import gvp from "../../ingestors/sources/gvp-volcanoes.ts"
import volcanoReportsTable from "../../processors/tables/volcano_reports/table.ts"
import volcanoesView from "../../processors/views/volcanoes.ts"
import { type VolcanoReport, volcanoes } from "../../schemas/feeds/volcanoes.ts"
import simulated, { latestIssue } from "../world/upstreams/gvp-volcanoes.ts"
import { worldAt } from "../world/world.ts"
import { capturesAbsent, collectedCapture } from "./support/captures.ts"
import { feedTest, polled } from "./support/feed-test.ts"
import { normalised, readBy } from "./support/read.ts"
import { OBSERVED_AT } from "./support/rows.ts"
import { reading, shown } from "./support/shown.ts"
import { observed } from "./support/world.ts"

type Collected = Parameters<typeof gvp.read>[0]

const NOW_MS = Date.parse("2026-11-20T12:34:56.789Z")
const DAY_MS = 86_400_000

const wire = (members: object = {}) => ({
  title: "Mount Sable (Syldavia) - Report for 4 November-10 November 2026 - New Unrest",
  description: "<p>Rumbling was heard.</p><p>Source: Observatory</p>",
  guid: "https://volcano.si.edu/reports_weekly.cfm#vn_257040",
  pubDate: "Thu, 12 Nov 2026 07:03:38 -0400",
  "georss:point": "-16.25 168.12",
  ...members,
})
const issue = (...item: ReadonlyArray<object>): Collected => ({ rss: { channel: { title: "Weekly", item } } })
const itemOf = (members: object = {}): VolcanoReport | undefined =>
  normalised(gvp, issue(wire(members)), { observedAtMs: NOW_MS }).payload.items[0]
const titled = (rest: string) => itemOf({ title: `Mount Sable (Syldavia) - Report for ${rest}` })

interface Shown {
  readonly count: number
  readonly total: number
  readonly reports: ReadonlyArray<Record<string, unknown>>
}
const show = (items: ReadonlyArray<VolcanoReport>): Shown => {
  const [first, ...others] = items
  if (first === undefined) throw new Error("an issue is never empty")
  return shown(volcanoesView, [reading({ items: [first, ...others], facts: {} })], { nowMs: NOW_MS }) as Shown
}

const item: VolcanoReport = {
  volcanoNumber: null,
  name: "Mount Sable",
  country: null,
  category: null,
  period: "4 November-10 November 2026",
  periodStart: "2026-11-04",
  periodEnd: "2026-11-10",
  report: "Rumbling was heard.",
  url: "https://volcano.si.edu/reports_weekly.cfm",
  latitude: null,
  longitude: null,
  publishedAt: "2026-11-12T11:03:38.000Z",
}

feedTest({
  feed: volcanoes,
  glances: {
    volcanoes: [1, null, "in the weekly report, first Mount Sable, Syldavia, New Eruptive Activity"],
  },
  polls: [
    polled({
      source: gvp,
      world: simulated,
      freeText: true,
      breakRow: ({ rss }) => ({
        rss: { channel: { ...rss.channel, item: [...(rss.channel.item ?? []), wire({ pubDate: "last Thursday" })] } },
      }),
      refused: [
        ["an issue without a report", issue(), /has no items/],
        ["a feed of another kind", issue({ title: "News", description: "Something happened." }), /cannot be read/],
      ],
    }),
  ],
  views: [volcanoesView],
  table: volcanoReportsTable,
  rows: [
    {
      kind: "changed",
      item,
      makes: {
        volcano_number: null,
        name: "Mount Sable",
        country: "",
        category: "",
        period: "4 November-10 November 2026",
        period_start: "2026-11-04",
        period_end: "2026-11-10",
        report: "Rumbling was heard.",
        url: "https://volcano.si.edu/reports_weekly.cfm",
        latitude: null,
        longitude: null,
        published_at: "2026-11-12T11:03:38.000Z",
        observed_at: OBSERVED_AT,
      },
    },
    { kind: "gone", item, makes: null },
  ],
})

describe.skipIf(capturesAbsent)("the captured issue of 24 September 2026", () => {
  const captured = () => normalised(gvp, collectedCapture(gvp, "issue", "WeeklyVolcanoRSS-2026-09-24-trimmed.xml"))

  it("has seven reports, in its own order", () => {
    const { payload, contentAtMs } = captured()
    expect(contentAtMs).toBe(Date.parse("2026-09-24T11:03:38Z"))
    expect(
      payload.items.map(({ name, country, category, volcanoNumber }) => [name, country, category, volcanoNumber]),
    ).toEqual([
      ["Ambrym", "Vanuatu", "New Eruptive Activity", 257040],
      ["Chikurachki", "Russia", "New Eruptive Activity", 290360],
      ["Krakatau", "Indonesia", "New Eruptive Activity", 262000],
      ["Nevados de Chillan", "Chile", "New Eruptive Activity", 357070],
      ["Aira", "Japan", "Continuing Eruptive Activity", 282080],
      ["Great Sitkin", "United States", "Continuing Eruptive Activity", 311120],
      ["Ibu", "Indonesia", "Continuing Eruptive Activity", 268030],
    ])
  })
  it("shows the first of them with all of its members, its summary cut after a word", () => {
    const { count, total, reports } = show(captured().payload.items)
    expect([count, total]).toEqual([7, 7])
    expect(reports[0]).toEqual({
      name: "Ambrym",
      country: "Vanuatu",
      summary:
        "The Vanuatu Meteorology and Geo-Hazards Department (VMGD) reported that a new eruption at Ambrym likely started on 19 September. An intense thermal anomaly and high sulfur dioxide emissions were identified in satellite data; a volcanic cloud was visible in a satellite image at…",
      link: "https://volcano.si.edu/reports_weekly.cfm#vn_257040",
      category: "New Eruptive Activity",
      period: "16 September-22 September 2026",
      period_start: "2026-09-16",
      period_end: "2026-09-22",
      volcano_number: 257040,
      lat: -16.25,
      lon: 168.12,
      published_at: "2026-09-24T11:03:38.000Z",
    })
  })
  it("is read in its own character set, its question marks left alone and its sources left out", () => {
    const { items } = captured().payload
    const chillan = items.find(({ volcanoNumber }) => volcanoNumber === 357070)
    expect(chillan).toMatchObject({ latitude: -36.868, longitude: -71.378 })
    expect(chillan?.report).toContain("The Servicio Nacional de Geología y Minería (SERNAGEOMIN)")
    expect(chillan?.report).toContain("above Nevados de Chillán?s summit")
    expect(chillan?.report).toMatch(/maintained an \?Early Preventive Alert\? for Pinto and Coihueco\.$/)
    expect(items.some(({ report }) => /sources?:|<p>/i.test(report))).toBe(false)
  })
})

describe("volcano reports", () => {
  it.each([
    ["31 December-6 January 2026 - New Unrest", "31 December-6 January 2026", "2025-12-31", "2026-01-06"],
    ["25 June-1 July 2026 - New Unrest", "25 June-1 July 2026", "2026-06-25", "2026-07-01"],
    ["30 December 2025-5 January 2026 - New Unrest", "30 December 2025-5 January 2026", "2025-12-30", "2026-01-05"],
    ["4-10 November 2026 - New Unrest", "4-10 November 2026", "2026-11-04", "2026-11-10"],
    ["4 November - 10 November 2026 - New Unrest", "4 November - 10 November 2026", "2026-11-04", "2026-11-10"],
    ["4 November?10 November 2026 ? New Unrest", "4 November?10 November 2026", "2026-11-04", "2026-11-10"],
    [
      "4 November\u201310 November 2026 \u2013 New Unrest",
      "4 November\u201310 November 2026",
      "2026-11-04",
      "2026-11-10",
    ],
    ["31 April-6 May 2026 - New Unrest", "31 April-6 May 2026", null, null],
    ["10-4 November 2026 - New Unrest", "10-4 November 2026", null, null],
    ["the week of Easter - New Unrest", "the week of Easter", null, null],
  ])("for %s", (rest, period, periodStart, periodEnd) => {
    expect(titled(rest)).toMatchObject({ period, periodStart, periodEnd, category: "New Unrest" })
  })
  it("may lack a category, a country, a place and a number", () => {
    expect(
      itemOf({
        title: "Ioto - Report for 4 November-10 November 2026",
        guid: "https://volcano.si.edu/",
        "georss:point": "somewhere",
      }),
    ).toMatchObject({
      name: "Ioto",
      country: null,
      category: null,
      volcanoNumber: null,
      latitude: null,
      longitude: null,
    })
  })
  it.each([
    ["Isla Borrón (North) (San Theodoros)", "Isla Borrón (North)", "San Theodoros"],
    ["Fournaise, Piton de la (France)", "Fournaise, Piton de la", "France"],
    ["Planchón-Peteroa (Chile-Argentina)", "Planchón-Peteroa", "Chile-Argentina"],
    ["Kavachi (Undersea Features, Solomon Islands)", "Kavachi", "Undersea Features, Solomon Islands"],
  ])("of %s name the country in the last parenthesis", (head, name, country) => {
    expect(itemOf({ title: `${head} - Report for 4 November-10 November 2026 - New Unrest` })).toMatchObject({
      name,
      country,
    })
  })
  it("keep the paragraphs that are no list of sources, whatever their markup", () => {
    expect(
      itemOf({
        description:
          "<P>One.</P>\n<p class='x'>Two &amp; a half.</p ><p>Sources : A, B</p><br/>Source: C<script>x()</script>",
      })?.report,
    ).toBe("One. Two & a half.")
  })
  it.each([
    ["no report in its title", { title: "Mount Sable (Syldavia)" }],
    ["nothing but sources", { description: "<p>Source: Observatory</p>" }],
    ["a time in the future", { pubDate: "Thu, 19 Nov 2099 07:03:38 -0400" }],
    ["no time", { pubDate: "" }],
  ])("are left out, and counted, with %s", (_, members) => {
    const rows = [wire(), wire({ guid: "https://volcano.si.edu/#vn_300270" }), wire({ ...members, guid: "#vn_100000" })]
    const { outcome, unreadable } = readBy(gvp, issue(...rows), { observedAtMs: NOW_MS })
    expect(outcome).toMatchObject({ payload: { items: [{ volcanoNumber: 257040 }, { volcanoNumber: 300270 }] } })
    expect(unreadable).toHaveLength(1)
  })
  it("have changed with their words or category alone, and are others in another week", () => {
    const [one, moved, reworded, raised, next] = [
      {},
      { "georss:point": "0 0", pubDate: "Fri, 13 Nov 2026 07:03:38 -0400" },
      { description: "<p>Rumbling was felt.</p>" },
      { title: "Mount Sable (Syldavia) - Report for 4 November-10 November 2026 - New Eruptive Activity" },
      { title: "Mount Sable (Syldavia) - Report for 11 November-17 November 2026 - New Unrest" },
    ].map((members) => itemOf(members))
    if (!one || !moved || !reworded || !raised || !next) throw new Error("a report is missing")
    expect([moved, reworded, raised].map((other) => volcanoes.isRevised(one, other))).toEqual([false, true, true])
    expect(volcanoes.key(next)).not.toBe(volcanoes.key(one))
  })
  it("beyond thirty are counted", () => {
    const many = Array.from({ length: 35 }, (_, index) => ({ ...item, name: `Volcano ${index}` }))
    const { count, total, reports } = show(many)
    expect([count, total, reports.length, reports[29]?.name]).toEqual([30, 35, 30, "Volcano 29"])
  })
  it("that are long end after a word, within 280 characters", () => {
    const [row] = show([{ ...item, report: `${"lava ".repeat(55)}incandescence was observed` }]).reports
    expect(row?.summary).toBe(`${"lava ".repeat(55).trimEnd()}…`)
    const [unbroken] = show([{ ...item, report: "🌋".repeat(300) }]).reports
    expect([...String(unbroken?.summary)]).toHaveLength(280)
  })
  it("of the world are those of its latest issue, in their week", async () => {
    for (const atMs of [NOW_MS, NOW_MS + 6 * DAY_MS, Date.parse("2027-01-08T12:00:00Z")]) {
      const { payload, contentAtMs } = await observed(gvp, simulated, atMs)
      const { reports, period, publishedMs } = latestIssue(worldAt("test", atMs))
      expect(contentAtMs).toBe(publishedMs)
      expect(payload.items).toMatchObject(
        reports.map(({ name, country, number, category, latitude, longitude }) => ({
          name,
          country,
          category,
          period,
          volcanoNumber: number,
          latitude,
          longitude,
        })),
      )
      for (const { periodStart, periodEnd } of payload.items)
        expect(Date.parse(periodEnd ?? "") - Date.parse(periodStart ?? "")).toBe(6 * DAY_MS)
    }
  })
})
