import { expect, it } from "vitest"
import { latestFirst } from "./order.ts"

it("orders by time, the latest first, then by key, the highest first; what has no time comes last", () => {
  const order = latestFirst<readonly [time: string | null, key: string]>(
    ([time]) => time,
    ([, key]) => key,
  )
  const ordered = [
    ["2026-11-20", "a"],
    ["2026-11-19", "c"],
    ["2026-11-19", "b"],
    [null, "z"],
    [null, "y"],
  ] as const
  for (const given of [ordered, ordered.toReversed(), [ordered[2], ordered[4], ordered[0], ordered[3], ordered[1]]])
    expect(given.toSorted(order)).toEqual(ordered)
  expect(order(["2026-11-20", "a"], ["2026-11-20", "a"])).toBe(0)
})
