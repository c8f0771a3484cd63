import * as Schema from "effect/Schema"
import { beforeAll, describe, expect, it } from "vitest"
import { makeParameterReader } from "../../api/http/parameters.ts"
import hackerNews from "../../ingestors/sources/hacker-news.ts"
import launchLibrary from "../../ingestors/sources/launch-library.ts"
import polymarket from "../../ingestors/sources/polymarket-gamma.ts"
import usgs from "../../ingestors/sources/usgs-earthquakes.ts"
import worldDeltas from "../../processors/folds/world-deltas.ts"
import table from "../../processors/tables/world_deltas/table.ts"
import { launch, learntOf, polls, quake } from "../../processors/testing/delta-feeds.ts"
import { type FoldingBench, foldingBench } from "../../processors/testing/folding.ts"
import view from "../../processors/views/pro-world-deltas.ts"
import {
  proWorldDeltasEndpoint,
  selectWorldDeltas,
  WorldDeltas,
  WorldDeltasFull,
  worldDeltaInputs,
} from "../../schemas/endpoints/pro-world-deltas.ts"
import { instant, makeEvent } from "../../schemas/event.ts"
import { deltaPublished } from "../../schemas/events/world-deltas.ts"
import { DAILY } from "../../schemas/feeds/earthquakes.ts"
import { eventReader } from "../../schemas/registry.ts"
import type { ViewBody } from "../../schemas/view-record.ts"
import { type LearntDelta, type WorldDelta, worldDeltaTypes } from "../../schemas/world-delta.ts"
import hackerNewsWorld from "../world/upstreams/hacker-news.ts"
import launchLibraryWorld from "../world/upstreams/launch-library.ts"
import polymarketWorld from "../world/upstreams/polymarket-gamma.ts"
import usgsWorld from "../world/upstreams/usgs-earthquakes.ts"
import { capturesAbsent, collectedCapture } from "./support/captures.ts"
import { normalised } from "./support/read.ts"
import { observed } from "./support/world.ts"

const NOW_MS = Date.parse("2026-11-20T12:34:56.789Z")
const MINUTE_MS = 60_000
const HOUR_MS = 60 * MINUTE_MS
const strict = { onExcessProperty: "error" } as const
const NONE: ReadonlySet<string> = new Set()
const at = (ms: number): string => instant(NOW_MS + ms)

const bodyOf = (bench: FoldingBench): WorldDeltasFull =>
  Schema.decodeUnknownSync(WorldDeltasFull, strict)((bench.view(proWorldDeltasEndpoint.path) as ViewBody).data)

/** Selects, and holds the reply to its schema and to the rule that every null has a note. */
const selected = (full: WorldDeltasFull, since?: string, withheld = NONE) => {
  const { data, inputs } = selectWorldDeltas(full, { since }, withheld)
  Schema.decodeUnknownSync(WorldDeltas, strict)(data)
  const { events, notes, ...members } = data
  const walk = (value: unknown, name: string): void => {
    if (value === null) expect(notes[name], `${name} is null without a note`).toMatch(/\w{3}/)
    else if (typeof value === "object")
      for (const [member, inner] of Object.entries(value)) walk(inner, name === "" ? member : `${name}.${member}`)
  }
  walk(members, "")
  for (const { type, data: one } of events) walk(one, type)
  return { ...data, inputs }
}

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
    expect(idsOf(reply)).toEqual(["l"])
    expect(proWorldDeltasEndpoint.empty(reply)).toBe(true)
  })

  it("without a new event goes on from the time of the fold, so that a quiet hour clamps nobody", () => {
    expect(selected(full, at(-5)).next_since).toBe(at(0))
  })

  it("counts launches neither against emptiness nor in its samples", () => {
    const quiet = selected({ ...full, events: [] })
    expect(quiet.counts.space_launch).toBe(1)
    expect(quiet.sample_size).toEqual({ events_in_rolling_hour: 0, events_after_since_filter: 0 })
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
    expect(table.partition({ timestamp: "2026-11-30T23:59:59.999Z" })).toBe("202611")
  })
})

describe.skipIf(capturesAbsent)("events of recorded answers", () => {
  const captured = (file: string) => normalised(usgs, collectedCapture(usgs, "summary", file)).payload.items

  it("are, of 16 September 2018 at 04:11:07, the four of 6 hours with magnitude 4.0 and above, by origin", () => {
    const madeMs = Date.parse("2018-09-16T04:11:07.000Z")
    const bench = foldingBench(worldDeltas, eventReader)
    bench.fold(polls.quakes(madeMs - MINUTE_MS, []))
    bench.fold(polls.quakes(madeMs, captured("all_day-2018-09-16.geojson")))
    const { events } = selected(bodyOf(bench))
    expect(
      events.map((event) => event.type === "earthquake" && [event.data.id, event.data.magnitude, event.severity]),
    ).toEqual([
      ["us2000hfc8", 4.1, "minor"],
      ["us2000hfbd", 4.8, "minor"],
      ["us2000hfah", 4.6, "minor"],
      ["us2000hfa8", 4.7, "minor"],
    ])
    expect(events[0]).toMatchObject({
      timestamp: "2018-09-16T04:11:07.003Z",
      data: {
        place: "249km SE of Kodiak, Alaska",
        depth_km: 20.32,
        mag_type: "mb",
        time: "2018-09-16T03:09:03.400Z",
        url: "https://earthquake.usgs.gov/earthquakes/eventpage/us2000hfc8",
      },
    })
  })

  it("are none of a day that is the first payload, and those of the next one alone", () => {
    const madeMs = Date.parse("2016-11-03T18:47:42.000Z")
    const day = captured("all_day-2016-11-03.geojson")
    const bench = foldingBench(worldDeltas, eventReader)
    bench.fold(polls.quakes(madeMs, day), polls.quakes(madeMs + MINUTE_MS, [...day, quake("new", 6.4, madeMs)]))
    expect(learntOf(bench.derived()).map(({ data, severity }) => [data.id, severity])).toEqual([["new", "major"]])
  })

  it("are no markets of the five of 21 June 2026, whose turnover is below 10,000 US dollars", () => {
    const { items } = normalised(
      polymarket,
      collectedCapture(polymarket, "markets", "markets-5-2026-06-21.json"),
    ).payload
    expect(items).toHaveLength(5)
    const bench = foldingBench(worldDeltas, eventReader)
    const traded = items.map((one) => (one.id === "540819" ? { ...one, volume24hUsd: 250_000 } : one))
    bench.fold(polls.markets(NOW_MS, []), polls.markets(NOW_MS + 1, items), polls.markets(NOW_MS + 2, traded))
    // "Will Jesus Christ return before GTA VI?": Yes 0.495, No 0.505.
    expect(learntOf(bench.derived())).toMatchObject([
      {
        severity: "major",
        data: { id: "540819", outcome: "No", probability: 0.505, previous: null, volume_24h: 250_000 },
      },
    ])
  })

  it("are the launch of the Long March 10B from twelve hours before to an hour after its time", () => {
    const collected = collectedCapture(launchLibrary, "upcoming", "upcoming-2.3.0-normal-2026-06-27-trimmed.json")
    const netMs = Date.parse("2026-07-10T05:00:00.000Z")
    const { items } = normalised(launchLibrary, collected, { observedAtMs: netMs }).payload
    const launchesAt = (ms: number) => {
      const bench = foldingBench(worldDeltas, eventReader)
      bench.fold(polls.catalogue(ms, items))
      return selected(bodyOf(bench)).events
    }
    expect(launchesAt(netMs - 12 * HOUR_MS - 1)).toEqual([])
    expect(launchesAt(netMs + HOUR_MS + 1)).toEqual([])
    expect(launchesAt(netMs - 12 * HOUR_MS)).toMatchObject([
      {
        type: "space_launch",
        timestamp: "2026-07-10T05:00:00.000Z",
        severity: "moderate",
        data: {
          id: "1e79a5e9-c02c-470f-882f-884120100fef",
          mission: "Demo Flight",
          status: "To Be Confirmed",
          net_precision: "hour",
          window: { start: "2026-07-10T05:00:00.000Z", end: "2026-07-10T09:00:00.000Z" },
        },
      },
    ])
  })
})

describe("four hours of the simulated world", () => {
  // Its earthquake of magnitude 4.0 has its origin at 10:57:35.
  const beginMs = Date.parse("2026-11-20T09:00:00.000Z")
  const bench = foldingBench(worldDeltas, eventReader)
  const replies: Array<ReturnType<typeof selected>> = []
  const seen: Array<string> = []

  beforeAll(async () => {
    let since: string | undefined
    for (let minute = 0; minute <= 240; minute += 4) {
      const ms = beginMs + minute * MINUTE_MS
      const poll = {
        quakes: polls.quakes,
        frontPage: polls.frontPage,
        markets: polls.markets,
        catalogue: polls.catalogue,
      }
      bench.fold(
        poll.quakes(ms, (await observed(usgs, usgsWorld, ms, DAILY)).payload.items),
        poll.frontPage(ms + 1, (await observed(hackerNews, hackerNewsWorld, ms)).payload.items),
        poll.markets(ms + 2, (await observed(polymarket, polymarketWorld, ms)).payload.items),
        poll.catalogue(ms + 3, (await observed(launchLibrary, launchLibraryWorld, ms)).payload.items),
      )
      if (minute % 20 !== 0) continue
      const reply = selected(bodyOf(bench), since)
      since = reply.next_since ?? undefined
      replies.push(reply)
      seen.push(...learntOf(reply.events.map((data) => ({ data }) as never)).map(({ timestamp }) => timestamp))
    }
  }, 120_000)

  it("have events of every type, and each once", () => {
    const types = new Set(replies.flatMap(({ events }) => events.map(({ type }) => type)))
    expect([...types].sort()).toEqual([...worldDeltaTypes].sort())
    expect([...seen].sort()).toEqual(learntOf(bench.derived()).map(({ timestamp }) => timestamp))
    expect(bench.problems()).toEqual([])
  })

  it("begin without news, and are at no time of more than a few kilobytes", () => {
    expect(replies[0]?.events.filter(({ type }) => type !== "space_launch")).toEqual([])
    for (const reply of replies) expect(JSON.stringify(reply).length).toBeLessThan(100_000)
  })
})

it("a launch without a time is never stated", () => {
  const bench = foldingBench(worldDeltas, eventReader)
  bench.fold(polls.catalogue(NOW_MS, [launch("a", null)]))
  expect(bodyOf(bench).launches).toEqual([])
})
