import * as Schema from "effect/Schema"
import * as fc from "fast-check"
import { describe, expect, it } from "vitest"
import { instanceKey, latestFirst, parseInstanceKey, reliabilityIds, valueFeed } from "./feed.ts"

const parameters = fc.dictionary(
  fc
    .oneof(fc.constantFrom("magnitude", "period", "lat"), fc.string({ minLength: 1 }))
    .filter((one) => one !== "__proto__"),
  fc.oneof(fc.constantFrom("2.5", "-118.24", "day"), fc.string({ unit: "grapheme" })),
  { noNullPrototype: true },
)

describe("the key of an instance", () => {
  it("is the name and the sorted query, as a URL spells it", () => {
    fc.assert(
      fc.property(parameters, (given) => {
        const names = Object.keys(given).sort()
        const query = new URLSearchParams(names.map((name): [string, string] => [name, given[name] ?? ""])).toString()
        expect(instanceKey("feed", given)).toBe(names.length === 0 ? "feed" : `feed?${query}`)
      }),
    )
  })

  it("is read back", () => {
    fc.assert(
      fc.property(parameters, (given) => {
        const { name, parameters: read } = parseInstanceKey(instanceKey("some-feed", given))
        expect([name, { ...read }]).toEqual(["some-feed", given])
      }),
    )
  })
})

describe("a feed of several instances", () => {
  const gauge = { name: "gauge", description: "", value: Schema.Finite, key: "gauge" }
  const instances = [{ at: "a" }, { at: "b" }]

  it("promises an age of its content for all of them, for each of them, or for none", () => {
    const ages = (contentAgeMax?: Parameters<typeof valueFeed>[0]["contentAgeMax"]) =>
      instances.map((one) =>
        valueFeed({ ...gauge, ...(contentAgeMax === undefined ? {} : { contentAgeMax }) }).contentAgeMaxMs(one),
      )
    expect(ages()).toEqual([null, null])
    expect(ages("1 minute")).toEqual([60_000, 60_000])
    expect(ages(({ at }) => (at === "a" ? "1 second" : 5))).toEqual([1000, 5])
  })

  it("is judged as its instances, or as one", () => {
    expect(reliabilityIds(valueFeed({ ...gauge, instances }))).toEqual(["gauge?at=a", "gauge?at=b"])
    expect(reliabilityIds(valueFeed({ ...gauge, instances, judgedAs: "one" }))).toEqual(["gauge"])
    expect(reliabilityIds(valueFeed(gauge))).toEqual(["gauge"])
  })
})

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
