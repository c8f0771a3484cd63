import * as Schema from "effect/Schema"
import { describe, expect, it } from "vitest"
import { makeParameterReader } from "../../api/http/parameters.ts"
import table from "../../processors/tables/world_deltas/table.ts"
import view from "../../processors/views/pro-world-deltas.ts"
import { proWorldDeltasEndpoint, WorldDeltasFull, worldDeltaInputs } from "../../schemas/endpoints/pro-world-deltas.ts"
import { instant, makeEvent } from "../../schemas/event.ts"
import { deltaPublished } from "../../schemas/events/world-deltas.ts"
import { type LearntDelta, type WorldDelta, worldDeltaTypes } from "../../schemas/payloads/world-delta.ts"
import { selected } from "./support/world-deltas.ts"

const NOW_MS = Date.parse("2026-11-20T12:34:56.789Z")
const MINUTE_MS = 60_000
const HOUR_MS = 60 * MINUTE_MS
const at = (ms: number): string => instant(NOW_MS + ms)

const learnt = (ms: number, id: string): LearntDelta => ({
  type: "earthquake",
  timestamp: at(ms),
  severity: "minor",
  data: {
    ...{ id, type: "earthquake", magnitude: 4.2, place: null, depth_km: null, mag_type: null },
    ...{ time: at(ms - MINUTE_MS), url: null },
  },
})
const market: LearntDelta = {
  type: "prediction_market_update",
  timestamp: at(-5),
  severity: "major",
  data: { id: "m", question: "?", outcome: "Yes", probability: 0.5, previous: null, volume_24h: 100_001, url: null },
}
const full: WorldDeltasFull = {
  as_of: at(0),
  complete_since: at(-HOUR_MS),
  read: { earthquake: true, tech_news_story: true, prediction_market_update: true, space_launch: true },
  events: [learnt(-HOUR_MS + 1, "a"), learnt(-10, "b"), market],
  launches: [
    {
      type: "space_launch",
      timestamp: at(HOUR_MS),
      severity: "moderate",
      data: {
        ...{ id: "l", mission: null, vehicle: null, provider: null, status: "Go for Launch", net: at(HOUR_MS) },
        ...{ net_precision: null, window: { start: null, end: at(HOUR_MS) }, url: null },
      },
    },
  ],
}
const idsOf = ({ events }: { readonly events: ReadonlyArray<WorldDelta> }) => events.map(({ data }) => data.id)

describe("a selection of world deltas", () => {
  it("is by default all of the hour, newest first, with the launches", () => {
    const reply = selected(full)
    expect(idsOf(reply)).toEqual(["l", "m", "b", "a"])
    expect(reply).toMatchObject({
      since: at(-HOUR_MS),
      since_clamped: false,
      has_more: false,
      next_since: at(0),
      counts: { earthquake: 2, tech_news_story: 0, prediction_market_update: 1, space_launch: 1 },
      sample_size: { events_in_rolling_hour: 3, events_after_since_filter: 3 },
      inputs: ["quakes", "frontPage", "markets", "catalogue"],
    })
    expect(Object.keys(view.reads)).toEqual(expect.arrayContaining([...reply.inputs]))
  })

  it("holds what is later than since, not what is at it", () => {
    expect(idsOf(selected(full, at(-10)))).toEqual(["l", "m"])
    expect(idsOf(selected(full, at(-11)))).toEqual(["l", "m", "b"])
    expect(selected(full, at(-10)).sample_size).toEqual({ events_in_rolling_hour: 3, events_after_since_filter: 1 })
  })

  it("is clamped where since is older than the hour, and says so; not where it is the hour", () => {
    expect(selected(full, at(-HOUR_MS - 1))).toMatchObject({ since: at(-HOUR_MS), since_clamped: true })
    expect(selected(full, at(-HOUR_MS))).toMatchObject({ since: at(-HOUR_MS), since_clamped: false })
    expect(selected(full, "1970-01-01T00:00:00.000Z").since_clamped).toBe(true)
  })

  it("is clamped where the window has reached its bounds within the hour", () => {
    const bounded = { ...full, complete_since: at(-11) }
    expect(selected(bounded, at(-MINUTE_MS))).toMatchObject({ since: at(-11), since_clamped: true })
    expect(selected(bounded)).toMatchObject({ since: at(-11), since_clamped: false })
  })

  it("of a since that is ahead is empty, and does not turn the cursor back", () => {
    const reply = selected(full, at(5))
    expect(reply).toMatchObject({ since: at(5), since_clamped: false, next_since: at(5), has_more: false })
    expect([reply.events, reply.counts]).toEqual([[], {}])
    expect(proWorldDeltasEndpoint.empty(reply)).toBe(true)
  })

  it("without a new event goes on from the time of the fold, so that a quiet hour clamps no caller", () => {
    expect(selected(full, at(-5)).next_since).toBe(at(0))
  })

  it("without a learnt event is empty, whatever launches are near: it is free of charge and reveals nothing", () => {
    const quiet = selected({ ...full, events: [] })
    expect([quiet.events, quiet.counts]).toEqual([[], {}])
    expect(quiet.sample_size).toEqual({ events_in_rolling_hour: null, events_after_since_filter: 0 })
    expect(proWorldDeltasEndpoint.empty(quiet)).toBe(true)
    expect(proWorldDeltasEndpoint.empty(selected(full))).toBe(false)
  })

  it("without data has notes for what is null, and keeps the given since as the next one", () => {
    const { cold } = proWorldDeltasEndpoint
    const none = Schema.decodeUnknownSync(WorldDeltasFull)(cold)
    expect(selected(none)).toMatchObject({ since: null, next_since: null, events: [], since_clamped: false })
    expect(selected(none, at(-1))).toMatchObject({ since: at(-1), next_since: at(-1) })
  })

  it("says of an unread feed that nothing of it is known", () => {
    const { notes } = selected({ ...full, read: { ...full.read, tech_news_story: false } })
    expect(notes.tech_news_story).toMatch(/^Nothing has been read yet/)
    expect(selected(full).notes).not.toHaveProperty("tech_news_story")
  })

  it.each(worldDeltaTypes)("holds no %s where its source may not be resold, and says so", (type) => {
    const input = worldDeltaInputs[type]
    const reply = selected(full, undefined, new Set([input]))
    expect(reply.inputs).not.toContain(input)
    expect(reply.inputs).toHaveLength(3)
    expect(reply.events.some((event) => event.type === type)).toBe(false)
    expect(reply.counts[type]).toBe(0)
    expect(reply.notes[type]).toMatch(/^Withheld/)
  })

  it("with everything withheld is made of nothing", () => {
    const reply = selected(full, undefined, new Set(Object.values(worldDeltaInputs)))
    expect([reply.events, reply.inputs]).toEqual([[], []])
    expect(proWorldDeltasEndpoint.empty(reply)).toBe(true)
  })

  it("changes nothing of what it selects from", () => {
    const before = JSON.stringify(full)
    selected(full, at(-10))
    expect(JSON.stringify(full)).toBe(before)
  })
})

describe("its parameter", () => {
  const read = makeParameterReader(proWorldDeltasEndpoint)

  it("is an instant with a zone, as one canonical text, and may be left out", () => {
    const canonical = { _tag: "Accepted", parameters: { since: "2028-02-29T11:00:00.000Z" } }
    for (const since of ["2028-02-29T11:00:00Z", "2028-02-29T12:00:00+01:00", "2028-02-29T11:00:00.0009Z"])
      expect(read({ since })).toMatchObject(canonical)
    expect(read({})).toMatchObject({ _tag: "Accepted", parameters: {} })
  })

  it.each(["2028-02-29T11:00:00", "2027-02-29T11:00:00Z", "2028-02-29", "1837000000", "", "an hour ago"])(
    "is refused as %j",
    (since) => {
      expect(read({ since })).toMatchObject({ _tag: "Refused", error: "invalid_parameter", parameter: "since" })
    },
  )

  it("is refused where it lies more than five minutes ahead", () => {
    expect(proWorldDeltasEndpoint.refuse({ since: at(5 * MINUTE_MS) }, NOW_MS)).toBeNull()
    expect(proWorldDeltasEndpoint.refuse({ since: at(5 * MINUTE_MS + 1) }, NOW_MS)).toMatchObject({
      parameter: "since",
    })
    expect(proWorldDeltasEndpoint.refuse({ since: undefined }, NOW_MS)).toBeNull()
  })
})

describe("the table of world deltas", () => {
  it("has a row of each event, with the columns of its type", () => {
    const rowOf = (data: WorldDelta) =>
      table.rows(makeEvent(deltaPublished, { id: "1", source: "test", subject: "s", time: at(0), data }))
    const [quakeRow, , marketRow] = full.events.map((event) => rowOf(event)[0])
    expect(quakeRow).toMatchObject({
      type: "earthquake",
      id: "a",
      magnitude: 4.2,
      title: "",
      outcome: "",
      points: null,
    })
    expect(marketRow).toMatchObject({ title: "?", probability: 0.5, previous_probability: null, happened_at: null })
    const [launchRow] = full.launches.map((event) => rowOf(event)[0])
    expect(launchRow).toMatchObject({ id: "l", timestamp: at(HOUR_MS), happened_at: at(HOUR_MS), observed_at: at(0) })
    expect(table.partitions.of({ timestamp: "2026-11-30T23:59:59.999Z" })).toBe("202611")
  })
})
