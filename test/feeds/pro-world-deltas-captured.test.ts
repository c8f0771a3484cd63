import { beforeAll, describe, expect, it } from "vitest"
import hackerNews from "../../ingestors/sources/hacker-news.ts"
import launchLibrary from "../../ingestors/sources/launch-library.ts"
import polymarket from "../../ingestors/sources/polymarket-gamma.ts"
import usgs from "../../ingestors/sources/usgs-earthquakes.ts"
import worldDeltas from "../../processors/folds/world-deltas.ts"
import { learntOf, polls, quake } from "../../processors/testing/delta-feeds.ts"
import { foldingBench } from "../../processors/testing/folding.ts"
import { DAILY } from "../../schemas/feeds/earthquakes.ts"
import { worldDeltaTypes } from "../../schemas/payloads/world-delta.ts"
import { eventReader } from "../../schemas/registry.ts"
import hackerNewsWorld from "../world/upstreams/hacker-news.ts"
import launchLibraryWorld from "../world/upstreams/launch-library.ts"
import polymarketWorld from "../world/upstreams/polymarket-gamma.ts"
import usgsWorld from "../world/upstreams/usgs-earthquakes.ts"
import { capturesAbsent, collectedCapture, decodedCapture } from "./support/captures.ts"
import { normalised } from "./support/read.ts"
import { observed } from "./support/world.ts"
import { bodyOf, selected } from "./support/world-deltas.ts"

const NOW_MS = Date.parse("2026-11-20T12:34:56.789Z")
const MINUTE_MS = 60_000
const HOUR_MS = 60 * MINUTE_MS

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
      decodedCapture<ReadonlyArray<unknown>>(polymarket, "listed", "markets-5-2026-06-21.json"),
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
      return bodyOf(bench).launches
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
  })

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
