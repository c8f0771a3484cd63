import { describe, expect, it } from "vitest"
import { noProvenance } from "../../../schemas/contract/provenance.ts"
import { type FeedReliability, feedReliabilityEndpoint } from "../../../schemas/endpoints/feed-reliability.ts"
import { STATUS_DAYS } from "../../../schemas/endpoints/status.ts"
import { endpoints } from "../../../schemas/registry.ts"
import { apiUnderTest } from "../../testing/api-under-test.ts"
import { type AnsweredHistory, withHistory } from "../../testing/reliability.ts"
import { reliabilitySection } from "./reliability-section.ts"

const row = (feed: string, uptime: number): FeedReliability["low_coverage"][number] => ({
  feed,
  name: "Provider.things",
  score: Math.round(100 * uptime),
  uptime,
  availability: 1,
  staleness_rate: 1 - uptime,
  dark_rate: 0,
  checks: 288,
  trust: "high",
  low_coverage: false,
  status: uptime === 1 ? "ok" : "stale",
})

const table = (...rows: ReadonlyArray<FeedReliability["low_coverage"][number]>): FeedReliability => ({
  captured_at: "2026-08-17T20:35:00.000Z",
  window: { days: 7, interval_minutes: 5 },
  counts: { monitored: rows.length, ranked: 0, low_coverage: rows.length, not_configured: 1, ok: 0, stale: 0, dark: 0 },
  feeds: [],
  low_coverage: [...rows],
  not_configured: [{ feed: "wildfires", name: "FIRMS.fires", reason: "not_configured" }],
})

const judged = (...rows: ReadonlyArray<FeedReliability["low_coverage"][number]>) => ({
  table: table(...rows),
  isCurrent: true,
})

const record = {
  firstDay: "2026-05-20",
  feeds: new Map([["earthquakes", { days: `${"g".repeat(STATUS_DAYS - 1)}x`, uptime: 0.99 }]]),
  outages: [],
}

describe("the reliability of a feed on its page", () => {
  it("is seven days from the table, and ninety days as bars with words", () => {
    const { html } = reliabilitySection(["earthquakes"], judged(row("earthquakes", 0.99659), row("forex", 1)), record)
    const page = String(html)
    expect(page).toContain("99.65 %")
    expect(page).toContain('class="state warn">stale: an older value is served')
    expect(page).toContain(`aria-label="earthquakes, ${STATUS_DAYS} days: ${STATUS_DAYS - 1} good, 1 down"`)
    expect(page).not.toContain("forex")
  })

  it("does not say how a feed is now where nothing was judged since", () => {
    const stopped = { table: table(row("earthquakes", 1)), isCurrent: false }
    const page = String(reliabilitySection(["earthquakes"], stopped, record).html)
    expect(page).toContain('<th scope="col">At the last check</th>')
    expect(page).toContain("The monitor has stopped: nothing was judged since 2026-08-17 20:35")
    expect(page).not.toContain('class="state good"')
  })

  it("shows the weakest first, a few of many", () => {
    const ids = Array.from({ length: 30 }, (_, at) => `feed-${String(at).padStart(2, "0")}`)
    const rows = ids.map((id, at) => row(id, 1 - at / 100))
    const page = String(reliabilitySection(ids, judged(...rows), record).html)
    expect([...page.matchAll(/<code>(feed-\d\d)<\/code>/g)].map(([, id]) => id).slice(0, 2)).toEqual([
      "feed-29",
      "feed-28",
    ])
    expect(page.match(/<code>feed-/g)).toHaveLength(12)
    expect(page).toContain("The weakest 12 of 30 are shown.")
  })

  it.each([
    ["without upstreams", [], judged(), "Made of no upstream"],
    ["before the first check", ["earthquakes"], null, "Not known now"],
    ["of what is not polled here", ["wildfires"], judged(), "wildfires is not polled here (not_configured)."],
    ["of what is fetched on request", ["weather?lat=1&lon=2"], judged(), "Fetched on request"],
  ])("says why there is none %s", (_, ids, known, text) => {
    expect(String(reliabilitySection(ids, known, record).html)).toContain(text)
  })

  it("stands without the history, says so, and has its bars once the history answers", async () => {
    const answers: AnsweredHistory = { days: null, outages: [], asked: 0 }
    const provenance = () => ({ ...noProvenance, monitored: ["earthquakes"] })
    const api = await apiUnderTest({ endpoints, provenance, billing: withHistory(answers) })
    api.fill(feedReliabilityEndpoint.path, table(row("earthquakes", 1)), 86_400_000)
    await api.store.settled()
    const read = async () => (await api.app.inject({ url: "/feeds/earthquake", headers: { accept: "text/html" } })).body
    expect(await read()).toContain("History unavailable")
    const [day_indexes, day_checks, day_oks] = [[STATUS_DAYS - 2], [288], [288]]
    answers.days = [{ instance: "earthquakes", day_indexes, day_checks, day_oks }]
    api.moveTo(Date.parse("2026-08-17T20:36:30.000Z"))
    expect(await read()).toMatch(/aria-label="earthquakes, 90 days: \d+ good/)
    expect(answers.asked).toBeLessThanOrEqual(4)
    expect(await read()).not.toContain("The monitor has stopped")
    api.moveTo(Date.parse("2026-08-19T20:36:30.000Z"))
    expect(await read()).toContain("The monitor has stopped")
  })
})
