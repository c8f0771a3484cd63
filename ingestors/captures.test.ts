import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { afterAll, beforeAll, expect, it } from "vitest"
import { reportCaptures } from "./captures.ts"
import noaa from "./sources/noaa-swpc.ts"
import usgs from "./sources/usgs-earthquakes.ts"

const good = JSON.stringify({ type: "FeatureCollection", metadata: { generated: 1 }, features: [] })
const files = {
  "usgs-earthquakes/SOURCE.md": "where these come from",
  "usgs-earthquakes/all_day.geojson": good,
  "usgs-earthquakes/all_hour.geojson": "{}",
  "usgs-earthquakes/all_week-cut.geojson": good.slice(0, 20),
  "usgs-earthquakes/error-503.txt": "Service Unavailable",
  "usgs-earthquakes/terrors.txt": "Service Unavailable",
  "somebody-else/x.json": "{}",
}
let directory: string

beforeAll(() => {
  directory = mkdtempSync(join(tmpdir(), "tidewire-captures-"))
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(directory, path)), { recursive: true })
    writeFileSync(join(directory, path), text)
  }
})
afterAll(() => rmSync(directory, { recursive: true, force: true }))

it("reports a folder of several sources by the documents of each", () => {
  const beside = { ...usgs, name: "usgs-second", documents: { summary: noaa.documents.kp } as typeof usgs.documents }
  const [, line] = reportCaptures(directory, [usgs, beside])
  expect(line).toMatchObject({
    text: "ok    usgs-earthquakes/all_day.geojson: usgs-earthquakes summary",
    failed: false,
  })
})

it("tells of each file as what it decodes, or why not, and which folders have no source", () => {
  const lines = reportCaptures(directory, [usgs])
  expect(lines.map(({ text }) => text.split(": ")[0])).toEqual([
    "-     somebody-else",
    "ok    usgs-earthquakes/all_day.geojson",
    "FAIL  usgs-earthquakes/all_hour.geojson",
    "FAIL  usgs-earthquakes/all_week-cut.geojson",
    "ok    usgs-earthquakes/error-503.txt",
    "FAIL  usgs-earthquakes/terrors.txt",
  ])
  expect(lines.filter(({ failed }) => failed)).toHaveLength(3)
  expect(lines[1]?.text).toContain("summary")
  expect(lines[2]?.text).toContain("type")
  expect(lines.every(({ text }) => !text.includes("\n"))).toBe(true)
})
