import { diffBytes } from "../../../processors/run/diff-bytes.ts"
import { valueHash } from "../../../schemas/value-patch.ts"
import upstream from "../../world/upstreams/usgs-earthquakes.ts"
import { worldAt } from "../../world/world.ts"
import { benchmark, interleaved } from "../benchmark.ts"

const ROUNDS = 9
const NOW_MS = Date.parse("2026-08-17T12:00:00.000Z")
const MONTHS_MS = 60 * 86_400_000

const HASHED = "hashing both values"
const TIMES = "a time at each end differs"
const ADDED = "an item was put in front"
const NUMBERS = "a number of each item differs"
const REPLACED = "another list of the same form"

/** The earthquakes of a month, the largest value of a view. */
const itemsAt = (nowMs: number): ReadonlyArray<object> => {
  const path = "/earthquakes/feed/v1.0/summary/all_month.geojson"
  const request = { host: "earthquake.usgs.gov", path, query: new URLSearchParams() }
  const { features } = Object(upstream.answer(request, worldAt("bench", nowMs))?.body)
  if (!Array.isArray(features)) throw new Error("the world has no such document")
  return features
}

const listValue = (items: ReadonlyArray<object>, at: number): Buffer =>
  Buffer.from(JSON.stringify({ observedAt: at, items, freshUntil: at + 60_000 }))

/** The time to find the difference of two large values, beside that of hashing them, which storing them takes anyway. */
export const valueDiff = benchmark({
  name: "value-diff",
  title: "the difference of two values of a month's earthquakes",
  budget: [
    { label: TIMES, of: "ratio", atMost: 1 },
    { label: ADDED, of: "ratio", atMost: 1 },
    { label: NUMBERS, of: "ratio", atMost: 5 },
    { label: REPLACED, of: "ratio", atMost: 25 },
  ],
  run: async () => {
    const items = itemsAt(NOW_MS)
    const [newest, ...older] = items
    const before = listValue(older, NOW_MS)
    const counted = (number: number) =>
      listValue(
        older.map((item, index) => ({ ...item, number: index + number })),
        NOW_MS,
      )
    const [numbered, renumbered] = [counted(10_000), counted(30_000)]
    const changed = listValue(older, NOW_MS + 60_000)
    const added = listValue(newest === undefined ? items : [newest, ...older], NOW_MS)
    const replaced = listValue(itemsAt(NOW_MS + MONTHS_MS), NOW_MS)
    const timed = async (work: () => unknown): Promise<number> => {
      const begun = performance.now()
      work()
      return performance.now() - begun
    }
    const ms = await interleaved(ROUNDS, {
      hashed: () => timed(() => [valueHash(before), valueHash(changed)]),
      times: () => timed(() => diffBytes(before, changed)),
      added: () => timed(() => diffBytes(before, added)),
      numbers: () => timed(() => diffBytes(numbered, renumbered)),
      replaced: () => timed(() => diffBytes(before, replaced)),
    })
    const unit = "ms"
    return [
      { label: HASHED, value: ms.hashed, unit },
      { label: TIMES, value: ms.times, unit, ratioTo: HASHED },
      { label: ADDED, value: ms.added, unit, ratioTo: HASHED },
      { label: NUMBERS, value: ms.numbers, unit, ratioTo: HASHED },
      { label: REPLACED, value: ms.replaced, unit, ratioTo: HASHED },
      { label: "size of a value", value: before.length / 1024, unit: "KiB" },
    ]
  },
})
