import { describe, expect, it } from "vitest"
import { UpstreamError } from "../../ingestors/document.ts"
import openNotify from "../../ingestors/sources/open-notify.ts"
import crewTable from "../../processors/tables/crew/table.ts"
import humansInSpace from "../../processors/views/humans-in-space.ts"
import { makeEvent } from "../../schemas/event.ts"
import { itemAppeared } from "../../schemas/events/deltas.ts"
import simulated, { peopleInSpace } from "../world/upstreams/open-notify.ts"
import { worldAt } from "../world/world.ts"
import { capturesAbsent, collectedCapture, normalised, observed, reading, refusedBy, shown } from "./feed-test.ts"

const NOW_MS = Date.parse("2026-11-20T12:00:00.000Z")
const wire = (people: ReadonlyArray<{ name: string; craft?: string | null }>, message?: string) => ({
  people,
  ...(message === undefined ? {} : { message }),
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
  it("are counted, not believed", () => {
    const { payload } = normalised(openNotify, wire([{ name: "A", craft: "ISS" }, { name: "A" }, { name: " " }]))
    expect(payload.items).toEqual([{ name: "A", craft: "ISS" }])
    expect(shown(humansInSpace, [reading(payload)], { nowMs: NOW_MS })).toEqual({
      count: 1,
      people: [{ name: "A", craft: "ISS" }],
    })
  })
  it("are not given where the list is no success", () => {
    const made = refusedBy(openNotify, wire([], "failure"))
    expect(made).toBeInstanceOf(UpstreamError)
  })
  it("of the world are those shown", async () => {
    const { payload } = await observed(openNotify, simulated, NOW_MS)
    const people = peopleInSpace(worldAt("test", NOW_MS))
    const data = shown(humansInSpace, [reading(payload)], { nowMs: NOW_MS })
    expect(people.length).toBeGreaterThan(5)
    expect(data).toMatchObject({ count: people.length, people: expect.arrayContaining([...people]) })
  })
  it("make a row for each change", () => {
    const data = {
      feed: "humans-in-space",
      parameters: {},
      provider: "OpenNotify.astronauts",
      key: "A",
      item: { name: "A", craft: null },
      observedAt: "2026-11-20T12:00:00.000Z",
    }
    const event = makeEvent(itemAppeared, {
      id: "1",
      source: "s",
      subject: "humans-in-space",
      time: data.observedAt,
      data,
    })
    const [row] = crewTable.rows(event)
    expect(row).toEqual({ name: "A", craft: "", change: "appeared", observed_at: data.observedAt })
    expect(row === undefined ? null : crewTable.partition(row)).toBe("2026")
  })
})
