import { describe, expect, it } from "vitest"
import { UpstreamError } from "../../ingestors/document.ts"
import alternative from "../../ingestors/sources/alternative-fng.ts"
import fearGreedTable from "../../processors/tables/fear_greed/table.ts"
import fearGreedView from "../../processors/views/fear-greed.ts"
import { makeEvent } from "../../schemas/event.ts"
import { itemAppeared } from "../../schemas/events/deltas.ts"
import simulated, { fearAndGreedAt } from "../world/upstreams/alternative-fng.ts"
import { worldAt } from "../world/world.ts"
import { capturesAbsent, collectedCapture, normalised, observed, reading, refusedBy, shown } from "./feed-test.ts"

const NOW_MS = Date.parse("2026-11-20T12:34:56.789Z")

describe.skipIf(capturesAbsent)("captured indices", () => {
  it("give the days by their own times, newest first", () => {
    const made = normalised(alternative, collectedCapture(alternative, "index", "fng-limit-2-2026-09-08.json"))
    expect(made.payload.items).toEqual([
      { day: "2026-09-08T00:00:00.000Z", value: 69, label: "Greed" },
      { day: "2026-09-07T00:00:00.000Z", value: 71, label: "Greed" },
    ])
    expect(made.contentAtMs).toBe(Date.parse("2026-09-08T00:00:00.000Z"))
  })
  it("of a year are cut to the latest days", () => {
    const { payload } = normalised(alternative, collectedCapture(alternative, "index", "fng-history-2025-04-22.json"))
    expect(payload.items).toHaveLength(10)
    expect(payload.items[0]).toEqual({ day: "2025-04-22T00:00:00.000Z", value: 47, label: "Neutral" })
    expect(shown(fearGreedView, [reading(payload)], { nowMs: NOW_MS })).toEqual({ value: 47, label: "Neutral" })
  })
})

describe("fear and greed", () => {
  const row = (value: number, value_classification: string, timestamp: number) => ({
    value,
    value_classification,
    timestamp,
  })
  it("keeps the text that was sent, and the newest day first whatever the order", () => {
    const { payload } = normalised(alternative, {
      data: [row(30, "Extreme Fear", 1788739200), row(20, "extreme greed ", 1788825600), row(1, "Fear", 1788739200)],
    })
    expect(payload.items).toEqual([
      { day: "2026-09-08T00:00:00.000Z", value: 20, label: "Extreme Greed" },
      { day: "2026-09-07T00:00:00.000Z", value: 30, label: "Extreme Fear" },
    ])
  })
  it("is refused where the answer is an error or empty", () => {
    expect(refusedBy(alternative, { data: [], metadata: { error: null } })).toBeInstanceOf(UpstreamError)
    const failed = { data: [row(1, "Fear", 1788739200)], metadata: { error: "unwell" } }
    expect(refusedBy(alternative, failed)).toBeInstanceOf(UpstreamError)
  })
  it("of the world is the one shown", async () => {
    const { payload, contentAtMs } = await observed(alternative, simulated, NOW_MS)
    const { value, label, dayMs } = fearAndGreedAt(worldAt("test", NOW_MS), NOW_MS)
    expect(payload.items).toHaveLength(10)
    expect(contentAtMs).toBe(dayMs)
    expect(shown(fearGreedView, [reading(payload)], { nowMs: NOW_MS })).toEqual({ value, label })
  })
  it("makes a row for each day", () => {
    const data = {
      feed: "fear-greed",
      parameters: {},
      provider: "AlternativeMe.fear_greed",
      key: "2026-09-08T00:00:00.000Z",
      item: { day: "2026-09-08T00:00:00.000Z", value: 69, label: "Greed" },
      observedAt: "2026-09-08T00:05:00.000Z",
    }
    const event = makeEvent(itemAppeared, { id: "1", source: "s", subject: "x", time: data.observedAt, data })
    const [made] = fearGreedTable.rows(event)
    expect(made).toEqual({ day: "2026-09-08", value: 69, label: "Greed", observed_at: data.observedAt })
    expect(made === undefined ? null : fearGreedTable.partition(made)).toBe("2026")
  })
})
