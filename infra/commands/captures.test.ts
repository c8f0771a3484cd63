import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterEach, beforeEach, describe, expect, it } from "vitest"
import { listCaptures } from "../../ingestors/captures.ts"
import type { Source } from "../../ingestors/source.ts"
import gdacs from "../../ingestors/sources/gdacs.ts"
import openMeteo from "../../ingestors/sources/open-meteo.ts"
import tsunamiGov from "../../ingestors/sources/tsunami-gov.ts"
import usgs from "../../ingestors/sources/usgs-earthquakes.ts"
import { showCaptures } from "./captures.ts"

const quake = (id: string, more: object = {}, at = "2026-08-17T20:33:01Z") => ({
  id,
  geometry: { coordinates: [-154.8, 57.2, 21.4] },
  properties: { mag: 4.6, place: "Kodiak", time: Date.parse(at), updated: Date.parse(at), type: "earthquake", ...more },
})
const list = (features: ReadonlyArray<unknown>, count = features.length) =>
  JSON.stringify({
    type: "FeatureCollection",
    metadata: { generated: Date.parse("2026-08-17T21:00:00Z"), count },
    features,
  })

let directory: string
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), "tidewire-captures-"))
})
afterEach(() => rmSync(directory, { recursive: true, force: true }))

const shown = (source: Source, files: Readonly<Record<string, string>>) => {
  mkdirSync(join(directory, source.name))
  for (const [file, text] of Object.entries(files)) writeFileSync(join(directory, source.name, file), text)
  const [folder] = listCaptures(directory)
  if (folder === undefined) throw new Error("no folder of captures")
  return Object.fromEntries(showCaptures(source, folder))
}

describe("a capture", () => {
  it("is shown as the items and replies it becomes, of the instance that its file names, with what cannot be read", () => {
    const files = {
      "4.5_week-2026-08-17.geojson": list([
        quake("us1"),
        quake("us2", { type: "quarry blast" }),
        quake("us3", { type: "Volcanic Eruption", mag: 5.2 }),
        quake("us4", {}, "2099-01-01T00:00:00Z"),
      ]),
    }
    const { "4.5_week-2026-08-17.geojson": results } = shown(usgs as Source, files)
    expect(results).toMatchObject([
      {
        instance: "earthquakes?magnitude=4.5&period=week",
        asOf: "2026-08-17T21:00:00.000Z",
        items: [{ id: "us1" }, { id: "us3", type: "volcanic eruption" }],
        unreadable: ["its time lies in the future"],
        replies: {
          "/api/climate/earthquakes?magnitude=4.5&period=week": {
            count: 2,
            earthquakes: [{ id: "us1" }, { id: "us3" }],
          },
        },
      },
    ])
  })
  it("that is refused says why", () => {
    const results = shown(usgs as Source, { "all_day.geojson": list([], 18), "2.5_day.geojson": list([null, {}]) })
    expect(results).toEqual({
      "all_day.geojson": [
        { instance: "earthquakes?magnitude=all&period=day", refused: "the list is empty, and counts events" },
      ],
      "2.5_day.geojson": [
        { instance: expect.any(String), refused: expect.stringMatching(/^earthquakes: 2 of 2 rows cannot be read; /) },
      ],
    })
  })
  it("of a place that the answer names is read as asked for there", () => {
    const answer = {
      latitude: 43.70455,
      longitude: -79.404625,
      current: { time: "2026-03-05T21:00", temperature_2m: 1.5 },
    }
    const { "toronto.json": results } = shown(openMeteo as Source, { "toronto.json": JSON.stringify(answer) })
    expect(results).toMatchObject([
      {
        instance: "weather?lat=43.7&lon=-79.4",
        replies: { "/api/weather?lat=43.7&lon=-79.4": { temperature_f: 34.7 } },
      },
    ])
  })
  it("that stands in for another document is shown although that was recorded too", () => {
    const map = { features: [{ properties: { eventtype: "WF" } }] }
    const item = [
      "<title>Fires</title><gdacs:eventtype>WF</gdacs:eventtype><gdacs:eventid>7</gdacs:eventid>",
      "<gdacs:alertlevel>Red</gdacs:alertlevel><gdacs:fromdate>Thu, 19 Nov 2026 00:00:00 GMT</gdacs:fromdate>",
      "<pubDate>Thu, 19 Nov 2026 00:00:00 GMT</pubDate>",
    ]
    const feed = `<rss><channel><item>${item.join("")}</item></channel></rss>`
    expect(shown(gdacs as Source, { "map.json": JSON.stringify(map), "rss.xml": feed })).toMatchObject({
      "map.json": [{ refused: expect.stringMatching(/1 of 1 rows/) }],
      "rss.xml": [{ items: [{ id: "WF7", level: "red" }] }],
    })
  })
  it("that its source never asks for becomes nothing", () => {
    const cap = "<alert><identifier>1</identifier><sent>x</sent><info><event>Tsunami</event></info></alert>"
    expect(shown(tsunamiGov as Source, { "PAAQCAP.xml": cap })).toEqual({ "PAAQCAP.xml": [] })
  })
})
