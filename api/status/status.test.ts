import * as Schema from "effect/Schema"
import { describe, expect, it } from "vitest"
import { STATUS_DAYS, Status } from "../../schemas/endpoints/status.ts"
import { instant } from "../../schemas/event.ts"
import { endpoints } from "../../schemas/registry.ts"
import type { ReportedPart } from "../routes/route.ts"
import { apiUnderTest, START_MS } from "../testing/api-under-test.ts"
import { type AnsweredHistory, fillReliability, reliabilityRow, withHistory } from "../testing/reliability.ts"
import { DAY_CHECKS } from "./reliability.ts"

const MINUTE_MS = 60_000
const ROW = { day_indexes: [87, 88, 89], day_checks: [DAY_CHECKS, DAY_CHECKS, 200], day_oks: [DAY_CHECKS, 7, 200] }
const seconds = (ms: number) => Math.floor(ms / 1000)

/** An outage as the history has it: `checks` checks in a row, the last one at `lastMs`. */
const outage = (instance: string, lastMs: number, checks: number, isDark = 0) => ({
  instance,
  from_seconds: seconds(lastMs - (checks - 1) * 5 * MINUTE_MS),
  last_seconds: seconds(lastMs),
  checks,
  is_dark: isDark,
})

const open = async (answers: AnsweredHistory | null, parts: ReadonlyArray<ReportedPart> = []) => {
  const api = await apiUnderTest({
    endpoints,
    billing: answers === null ? null : withHistory(answers),
    parts: () => parts,
  })
  const page = (url = "/status.md") => api.app.inject({ url }).then(({ body }) => body)
  /** The document, once the page has waited for the history. */
  const read = async () => {
    await page()
    const { body } = await api.app.inject({ url: "/status.json" })
    return Schema.decodeUnknownSync(Status, { onExcessProperty: "error" })(JSON.parse(body))
  }
  return { ...api, page, read }
}

const answering = (more: Partial<AnsweredHistory> = {}): AnsweredHistory => ({
  days: [{ instance: "earthquakes", ...ROW }],
  outages: [],
  asked: 0,
  ...more,
})

describe("the status", () => {
  it("says so before the first check", async () => {
    const { page, read } = await open(answering())
    expect(await read()).toMatchObject({ captured_at: null, counts: null, feeds: [] })
    expect(await page()).toContain("Nothing has been checked yet.")
    expect(await page("/status")).toContain("Nothing has been checked yet")
  })

  it("holds the verdicts, the percentages of the contract, and a letter a day", async () => {
    const scene = await open(answering())
    fillReliability(scene, [reliabilityRow("earthquakes"), reliabilityRow("forex", "stale")])
    const { feeds, counts, not_polled } = await scene.read()
    expect(counts).toEqual({ monitored: 2, ok: 1, stale: 1, dark: 0 })
    // What is not well comes first.
    expect(feeds.map(({ feed, status }) => [feed, status])).toEqual([
      ["forex", "stale"],
      ["earthquakes", "ok"],
    ])
    expect(feeds[1]).toMatchObject({
      uptime_24_hours: 0.9583,
      uptime_7_days: 0.9712,
      // (288 + 7 + 200) of (288 + 288 + 200), rounded down.
      uptime_90_days: 0.6378,
      days: `${"n".repeat(87)}gxg`,
    })
    // The history has nothing of this feed, which is neither a good nor a bad day.
    expect(feeds[0]).toMatchObject({ uptime_90_days: null, days: "n".repeat(STATUS_DAYS) })
    expect(not_polled).toEqual([{ feed: "wildfires", name: "FIRMS.fires", reason: "not_configured" }])
  })

  it("reveals no number of a day, and nothing else of what the premium endpoints sell", async () => {
    const scene = await open(answering({ outages: [outage("earthquakes", START_MS - 90 * MINUTE_MS, 6)] }))
    fillReliability(scene, [reliabilityRow("earthquakes")])
    await scene.read()
    const document = (await scene.app.inject({ url: "/status.json" })).body
    const words = [
      "composite",
      "score",
      "availability",
      "staleness",
      "trust",
      "interruptions",
      "content_at",
      "fresh_until",
    ]
    for (const word of words) expect(document).not.toContain(word)
    for (const text of [document, await scene.page()])
      for (const number of [DAY_CHECKS, 1_958, 2_016, 1_234, 776]) expect(text).not.toContain(`${number}`)
  })

  it("lists outages with their times; the one that goes on has no end", async () => {
    const last = Math.floor(START_MS / (5 * MINUTE_MS)) * 5 * MINUTE_MS
    const before = last - 600 * MINUTE_MS
    const scene = await open(
      answering({
        outages: [outage("forex", last, 13), outage("earthquakes", before, 6, 1), outage("gone", before, 2)],
      }),
    )
    fillReliability(scene, [reliabilityRow("earthquakes"), reliabilityRow("forex", "stale", last - 60 * MINUTE_MS)])
    const { outages } = await scene.read()
    expect(outages).toEqual([
      { feed: "forex", from: instant(last - 60 * MINUTE_MS), until: null, minutes: 65, worst: "stale" },
      {
        feed: "earthquakes",
        from: instant(before - 25 * MINUTE_MS),
        until: instant(before + 5 * MINUTE_MS),
        minutes: 30,
        worst: "dark",
      },
    ])
    const text = await scene.page()
    expect(text).toContain("1 of 2 checks is not on time.")
    expect(text).toMatch(/\| forex \| [\d-]+ [\d:]+ UTC \| goes on \| 1 h 5 min \| an older value \|/)
    expect(text).toMatch(/\| earthquakes \| .* \| 30 min \| no value younger than 24 hours \|/)
  })

  it("lists an outage that began after the history was read, and does not take an earlier one for it", async () => {
    const since = START_MS - 10 * MINUTE_MS
    const scene = await open(answering({ outages: [outage("forex", START_MS - 300 * MINUTE_MS, 3)] }))
    fillReliability(scene, [reliabilityRow("forex", "dark", since)], START_MS)
    const { outages } = await scene.read()
    expect(outages?.map(({ from, until, minutes }) => [from, until === null, minutes])).toEqual([
      [instant(since), true, 10],
      [instant(Math.floor((START_MS - 310 * MINUTE_MS) / 1000) * 1000), false, 15],
    ])
  })

  it.each([
    ["there is none", null],
    ["it does not answer", answering({ days: null })],
  ])("says that the history is unavailable where %s; the rest stands", async (_, answers) => {
    const scene = await open(answers)
    fillReliability(scene, [reliabilityRow("earthquakes", "stale")])
    const status = await scene.read()
    expect(status).toMatchObject({ outages: null, counts: { stale: 1 } })
    expect(status.feeds[0]).toMatchObject({ status: "stale", uptime_7_days: 0.9712, uptime_90_days: null, days: null })
    const page = await scene.page("/status")
    expect(page).toContain("History unavailable")
    expect(page).not.toContain("db.internal")
    expect(scene.errors.length > 0).toBe(answers !== null)
  })

  it("says that no history is kept, where none is, and has no place for what it would hold", async () => {
    const scene = await apiUnderTest({ endpoints, keepsHistory: false })
    fillReliability(scene, [reliabilityRow("earthquakes", "stale")])
    const { body } = await scene.app.inject({ url: "/status.json" })
    expect(JSON.parse(body)).toMatchObject({ history: "not_configured", outages: null, counts: { stale: 1 } })
    for (const url of ["/status", "/status.md"]) {
      const page = (await scene.app.inject({ url })).body
      expect(page).toContain("This installation keeps no history")
      expect(page).not.toMatch(/history unavailable|over 90 days|up to 90 days|cannot be read at the moment/i)
    }
  })

  it("asks the history once for all who look, and again after five minutes", async () => {
    const answers = answering()
    const scene = await open(answers)
    await Promise.all([scene.page(), scene.page("/status"), scene.read(), scene.read()])
    expect(answers.asked).toBe(2)
    scene.moveTo(START_MS + 4 * MINUTE_MS)
    await scene.page()
    expect(answers.asked).toBe(2)
    scene.moveTo(START_MS + 5 * MINUTE_MS)
    await scene.page()
    expect(answers.asked).toBe(4)
  })

  it("asks again soon where the history holds nothing yet", async () => {
    const answers = answering({ days: [] })
    const scene = await open(answers)
    fillReliability(scene, [reliabilityRow("earthquakes")])
    expect((await scene.read()).feeds[0]).toMatchObject({ uptime_90_days: null, days: "n".repeat(STATUS_DAYS) })
    answers.days = [{ instance: "earthquakes", ...ROW }]
    scene.moveTo(START_MS + MINUTE_MS)
    await scene.page()
    scene.moveTo(START_MS + 2 * MINUTE_MS)
    expect((await scene.read()).feeds[0]?.days).toBe(`${"n".repeat(87)}gxg`)
  })

  it("shows an older record while the history does not answer, for an hour", async () => {
    const answers = answering()
    const scene = await open(answers)
    fillReliability(scene, [reliabilityRow("earthquakes")])
    await scene.page()
    answers.days = null
    scene.moveTo(START_MS + 30 * MINUTE_MS)
    expect((await scene.read()).feeds[0]?.days).toHaveLength(STATUS_DAYS)
    scene.moveTo(START_MS + 61 * MINUTE_MS)
    expect((await scene.read()).feeds[0]?.days).toBeNull()
  })

  it("says that the monitor has stopped once its check is overdue", async () => {
    const scene = await open(answering())
    fillReliability(scene, [reliabilityRow("earthquakes")])
    expect(await scene.page()).toContain("1 check is on time")
    scene.moveTo(START_MS + 20 * MINUTE_MS)
    expect(await scene.page()).toContain("The monitor has stopped")
  })

  it("names only endpoints that are offered", async () => {
    const reliability = /\/api\/(?:pro\/)?feed-reliability/
    const { page } = await open(answering())
    expect(await page()).toMatch(reliability)
    const { app } = await apiUnderTest({ endpoints: endpoints.filter(({ path }) => !reliability.test(path)) })
    expect((await app.inject({ url: "/status.md" })).body).not.toMatch(reliability)
  })

  it("shows the parts of the service without their reasons, several of one word as the worst", async () => {
    const since = instant(START_MS)
    const scene = await open(answering(), [
      { role: "ingest", part: "polling", state: "active", since },
      { role: "process", part: "latest", state: "standby", since },
      { role: "process", part: "reliability", state: "stopped", since },
      { role: "api", part: "views", state: "starting", since },
    ])
    fillReliability(scene, [reliabilityRow("earthquakes")])
    expect((await scene.read()).parts).toEqual([
      { part: "polling", state: "works", since },
      { part: "folding", state: "impaired", since },
      { part: "replies", state: "starting", since },
    ])
    expect(await scene.page()).toContain("1 of 3 parts of this service is degraded")
  })
})
