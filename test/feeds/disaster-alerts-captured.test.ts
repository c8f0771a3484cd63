import { describe, expect, it } from "vitest"
import gdacs from "../../ingestors/sources/gdacs.ts"
import disasterAlertsView from "../../processors/views/disaster-alerts.ts"
import { capturesAbsent, decodedCapture } from "./support/captures.ts"
import { normalised } from "./support/read.ts"
import { reading, shown } from "./support/shown.ts"

type Collected = Parameters<typeof gdacs.read>[0]

interface Shown {
  readonly count: number
  readonly total: number
  readonly counts_by_level: Readonly<Record<string, number>>
  readonly alerts: ReadonlyArray<Record<string, unknown>>
}
const show = (payload: unknown): Shown => shown(disasterAlertsView, [reading(payload)], { nowMs: 0 }) as Shown

describe.skipIf(capturesAbsent)("captured disasters", () => {
  const onMap = () =>
    normalised(gdacs, decodedCapture<Collected>(gdacs, "map", "gdacsapi-events-2026-06-27-slice.json"))
  const inRss = () => normalised(gdacs, decodedCapture<Collected>(gdacs, "feed", "rss_7d-2022-11-26-trimmed.xml"))

  it("of the map of 27 June 2026: five of five types, all green, the latest update first", () => {
    const { payload, contentAtMs } = onMap()
    expect(contentAtMs).toBe(Date.parse("2026-06-27T07:14:48Z"))
    const { count, total, counts_by_level, alerts } = show(payload)
    expect([count, total, counts_by_level]).toEqual([5, 5, { red: 0, orange: 0, green: 5 }])
    expect(alerts.map(({ id, type, is_current, countries }) => [id, type, is_current, countries])).toEqual([
      ["WF1028931", "wildfire", true, ["The Democratic Republic of Congo"]],
      ["FL1103888", "flood", true, ["United States"]],
      ["DR1018344", "drought", false, ["Angola", "Democratic Republic of Congo", "Republic of Congo", "Gabon"]],
      ["TC1001278", "tropical_cyclone", true, ["Japan", "Northern Mariana Islands", "Guam"]],
      ["EQ1548439", "earthquake", true, ["Papua New Guinea"]],
    ])
    expect(alerts[1]).toMatchObject({ severity: null, lat: 31.4334994, lon: -86.9569176 })
    expect(alerts[2]).toMatchObject({ severity: { value: 113651, unit: "km2" } })
    expect(alerts[3]).toEqual({
      id: "TC1001278",
      type: "tropical_cyclone",
      name: "Tropical Cyclone HIGOS-26",
      alert_level: "green",
      country: "Japan, Northern Mariana Islands, Guam",
      countries: ["Japan", "Northern Mariana Islands", "Guam"],
      date: "2026-06-22T12:00:00.000Z",
      to: "2026-06-27T00:00:00.000Z",
      updated_at: "2026-06-27T03:35:05.000Z",
      is_current: true,
      lat: 36.4,
      lon: 142.9,
      severity: { value: 101.8512, unit: "km/h", text: "Tropical Storm (maximum wind speed of 102 km/h)" },
      url: "https://www.gdacs.org/report.aspx?eventtype=TC&eventid=1001278",
    })
  })
  it("of the feed of 26 November 2022: the red quake of five days before first, then seven orange ones", () => {
    const { payload, contentAtMs } = inRss()
    expect(contentAtMs).toBe(Date.parse("2022-11-26T20:39:04Z"))
    const { count, total, counts_by_level, alerts } = show(payload)
    expect([count, total, counts_by_level]).toEqual([33, 33, { red: 1, orange: 7, green: 25 }])
    expect(alerts.slice(0, 9).map(({ id, updated_at }) => [id, updated_at])).toEqual([
      ["EQ1347183", "2022-11-26T10:10:07.000Z"],
      ["DR1015826", "2022-11-26T05:57:50.000Z"],
      ["DR1015469", "2022-11-26T05:57:26.000Z"],
      ["DR1014742", "2022-11-26T05:57:13.000Z"],
      ["DR1014495", "2022-11-26T05:57:10.000Z"],
      ["DR1013868", "2022-11-26T05:57:02.000Z"],
      ["EQ1347428", "2022-11-24T03:00:04.000Z"],
      ["EQ1347295", "2022-11-23T03:00:05.000Z"],
      ["EQ1347961", "2022-11-26T20:39:04.000Z"],
    ])
    expect(alerts[0]).toMatchObject({
      type: "earthquake",
      alert_level: "red",
      is_current: false,
      country: "Indonesia",
      countries: ["Indonesia"],
      severity: { value: 5.6, unit: "M", text: "Magnitude 5.6M, Depth:10km" },
    })
  })
  it("of the feed: a part of the sea is no country, a flood and a volcano have no severity", () => {
    const byId = new Map(show(inRss().payload).alerts.map((one) => [one.id, one]))
    expect(byId.get("EQ1347961")).toEqual({
      id: "EQ1347961",
      type: "earthquake",
      name: "Earthquake in Southeast Of Honshu, Japan",
      alert_level: "green",
      country: "Southeast Of Honshu, Japan",
      countries: [],
      date: "2022-11-26T20:00:19.000Z",
      to: "2022-11-26T20:00:19.000Z",
      updated_at: "2022-11-26T20:39:04.000Z",
      is_current: true,
      lat: 32.3345,
      lon: 142.4756,
      severity: { value: 4.9, unit: "M", text: "Magnitude 4.9M, Depth:15.983km" },
      url: "https://www.gdacs.org/report.aspx?eventtype=EQ&eventid=1347961",
    })
    expect(byId.get("FL1101752")).toMatchObject({ countries: ["France", "Italy"], severity: null })
    expect(byId.get("VO1000054")).toMatchObject({
      type: "volcano",
      countries: ["El Salvador"],
      severity: null,
      lat: 13.434,
      lon: -88.269,
    })
    expect(byId.get("DR1015771")).toMatchObject({
      is_current: false,
      countries: ["Bangladesh", "China", "India", "Myanmar"],
    })
  })
})
