import { describe, expect, it } from "vitest"
import alternative from "../../ingestors/sources/alternative-fng.ts"
import fearGreedView from "../../processors/views/fear-greed.ts"
import { fearGreed } from "../../schemas/feeds/fear-greed.ts"
import simulated, { fearAndGreedAt } from "../world/upstreams/alternative-fng.ts"
import { worldAt } from "../world/world.ts"
import { capturesAbsent, collectedCapture } from "./support/captures.ts"
import { feedTest, polled } from "./support/feed-test.ts"
import { normalised } from "./support/read.ts"
import { OBSERVED_AT } from "./support/rows.ts"
import { reading, shown } from "./support/shown.ts"
import { observed } from "./support/world.ts"

const NOW_MS = Date.parse("2026-11-20T12:34:56.789Z")
const row = (value: number, value_classification: string, timestamp: number) => ({
  value,
  value_classification,
  timestamp,
})
const today = { day: "2026-09-08T00:00:00.000Z", value: 69, label: "Greed" } as const

feedTest({
  feed: fearGreed,
  glances: {
    fear_greed: [69, "of 100", "Greed, mood of the crypto market today"],
  },
  polls: [
    polled({
      source: alternative,
      world: simulated,
      freeText: false,
      breakRow: (answer) => ({ ...answer, data: [...(answer.data ?? []), row(1, "Euphoria", 1788739200)] }),
      refused: [
        ["an answer without a day", { data: [], metadata: { error: null } }, /has no items/],
        ["an error", { data: [row(1, "Fear", 1788739200)], metadata: { error: "unwell" } }, /is an error/],
      ],
    }),
  ],
  views: [fearGreedView],
  rows: [
    {
      kind: "appeared",
      item: today,
      makes: { day: "2026-09-08", value: 69, label: "Greed", observed_at: OBSERVED_AT },
    },
    { kind: "gone", item: today, makes: null },
  ],
})

describe.skipIf(capturesAbsent)("captured indices", () => {
  it("give the days by their own times, newest first", () => {
    const made = normalised(alternative, collectedCapture(alternative, "index", "fng-limit-2-2026-09-08.json"))
    expect(made.payload.items).toEqual([today, { day: "2026-09-07T00:00:00.000Z", value: 71, label: "Greed" }])
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
  it("keeps the label that was sent, and the newest day first whatever the order", () => {
    const { payload } = normalised(alternative, {
      data: [row(30, "Extreme Fear", 1788739200), row(20, "extreme greed ", 1788825600), row(1, "Fear", 1788739200)],
    })
    expect(payload.items).toEqual([
      { day: "2026-09-08T00:00:00.000Z", value: 20, label: "Extreme Greed" },
      { day: "2026-09-07T00:00:00.000Z", value: 30, label: "Extreme Fear" },
    ])
  })
  it("of the world is the one shown", async () => {
    const { payload, contentAtMs } = await observed(alternative, simulated, NOW_MS)
    const { value, label, dayMs } = fearAndGreedAt(worldAt("test", NOW_MS), NOW_MS)
    expect(payload.items).toHaveLength(10)
    expect(contentAtMs).toBe(dayMs)
    expect(shown(fearGreedView, [reading(payload)], { nowMs: NOW_MS })).toEqual({ value, label })
  })
})
