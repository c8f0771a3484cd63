import { describe, expect, it } from "vitest"
import openNotify from "../../ingestors/sources/open-notify.ts"
import crewTable from "../../processors/tables/crew/table.ts"
import humansInSpaceView from "../../processors/views/humans-in-space.ts"
import { humansInSpace } from "../../schemas/feeds/humans-in-space.ts"
import simulated, { peopleInSpace } from "../world/upstreams/open-notify.ts"
import { worldAt } from "../world/world.ts"
import { capturesAbsent, collectedCapture } from "./support/captures.ts"
import { feedTest, polled } from "./support/feed-test.ts"
import { normalised } from "./support/read.ts"
import { OBSERVED_AT } from "./support/rows.ts"
import { reading, shown } from "./support/shown.ts"
import { observed } from "./support/world.ts"

const NOW_MS = Date.parse("2026-11-20T12:00:00.000Z")

feedTest({
  feed: humansInSpace,
  polls: [
    polled({
      source: openNotify,
      world: simulated,
      freeText: true,
      breakRow: (answer) => ({ ...answer, people: [...answer.people, { name: " ", craft: "ISS" }] }),
      refused: [
        ["a list that is no success", { people: [{ name: "A" }], message: "failure" }, /no success/],
        ["a list without a person", { people: [], message: "success" }, /has no items/],
      ],
    }),
  ],
  views: [humansInSpaceView],
  table: crewTable,
  rows: (["appeared", "changed", "gone"] as const).map((kind) => ({
    kind,
    item: { name: "A", craft: null },
    makes: { name: "A", craft: "", change: kind, observed_at: OBSERVED_AT },
  })),
})

describe.skipIf(capturesAbsent)("captured lists", () => {
  it("give each person once, the Chinese station by its name", () => {
    const list = collectedCapture(openNotify, "astronauts", "astros-2021-12.json")
    const { payload, contentAtMs } = normalised(openNotify, list)
    expect(contentAtMs).toBeNull()
    expect(payload.items).toHaveLength(10)
    expect(payload.items.filter(({ craft }) => craft === "Tiangong").map(({ name }) => name)).toEqual([
      "Wang Yaping",
      "Ye Guangfu",
      "Zhai Zhigang",
    ])
    expect(payload.items[0]).toEqual({ name: "Anton Shkaplerov", craft: "ISS" })
  })
})

describe("people in space", () => {
  it("are counted from the list, each name once, also without a craft", () => {
    const people = [{ name: "A", craft: "ISS" }, { name: "A" }, { name: "B" }]
    const { payload } = normalised(openNotify, { people, message: "success" })
    expect(shown(humansInSpaceView, [reading(payload)], { nowMs: NOW_MS })).toEqual({
      count: 2,
      people: [
        { name: "A", craft: "ISS" },
        { name: "B", craft: null },
      ],
    })
  })
  it("of the world are those shown", async () => {
    const { payload } = await observed(openNotify, simulated, NOW_MS)
    const people = peopleInSpace(worldAt("test", NOW_MS))
    const data = shown(humansInSpaceView, [reading(payload)], { nowMs: NOW_MS })
    expect(people.length).toBeGreaterThan(5)
    expect(data).toMatchObject({ count: people.length, people: expect.arrayContaining([...people]) })
  })
})
