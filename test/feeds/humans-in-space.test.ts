import { describe, expect, it } from "vitest"
import openNotify from "../../ingestors/sources/open-notify.ts"
import peopleInSpaceSource from "../../ingestors/sources/people-in-space.ts"
import crewTable from "../../processors/tables/crew/table.ts"
import humansInSpaceView from "../../processors/views/humans-in-space.ts"
import { humansInSpace } from "../../schemas/feeds/humans-in-space.ts"
import simulated, { peopleInSpace } from "../world/upstreams/open-notify.ts"
import simulatedPeople from "../world/upstreams/people-in-space.ts"
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
  glances: {
    humans_in_space: [2, null, "ISS 1, Tiangong 1"],
  },
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
    polled({
      source: peopleInSpaceSource,
      world: simulatedPeople,
      freeText: true,
      breakRow: (answer) => ({ people: [...answer.people, { name: " ", iss: true }] }),
      refused: [["a list without a person", { people: [] }, /has no items/]],
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

describe.skipIf(capturesAbsent)("the captured list of the second source", () => {
  it("names the station of each person, by the ship in which they came", () => {
    const list = collectedCapture(peopleInSpaceSource, "people", "people-in-space-2026-04-13.json")
    const { payload } = normalised(peopleInSpaceSource, list)
    expect(payload.items.map(({ name, craft }) => `${craft}: ${name}`)).toEqual([
      "ISS: Andrey Fedyaev",
      "ISS: Christoper Williams",
      "ISS: Jack Hathaway",
      "ISS: Jessica Meir",
      "ISS: Sergey Kud-Sverchkov",
      "ISS: Sergey Mikayev",
      "ISS: Sophie Adenot",
      "Tiangong: Wu Fei",
      "Tiangong: Zhang Hongzhang",
      "Tiangong: Zhang Lu",
    ])
  })
  it("keeps a ship that is at no station as the craft", () => {
    const { payload } = normalised(peopleInSpaceSource, {
      people: [{ name: "A", spacecraft: "Orion", iss: false }, { name: "B" }],
    })
    expect(payload.items).toEqual([
      { name: "A", craft: "Orion" },
      { name: "B", craft: null },
    ])
  })
})

describe("people in space", () => {
  it("of both sources are the same in the world", async () => {
    const [first, second] = await Promise.all([
      observed(openNotify, simulated, NOW_MS),
      observed(peopleInSpaceSource, simulatedPeople, NOW_MS),
    ])
    expect(second.payload).toEqual(first.payload)
  })
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
