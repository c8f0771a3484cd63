import { readFileSync } from "node:fs"
import * as Schema from "effect/Schema"
import { describe, expect, it } from "vitest"
import { ChangelogEntry, changelog, deprecationFaults, FIRST_RELEASE_DAY, noticeFaults } from "./changelog.ts"
import { endpoints } from "./registry.ts"
import { removalEntry } from "./testing/removal-entry.ts"

describe("the changes of the contract", () => {
  it("are entries in the order of their days, the removal of 2026-07-23 first", () => {
    expect(changelog.every((one) => Schema.is(ChangelogEntry)(one))).toBe(true)
    const days = changelog.map(({ date }) => date)
    expect(days).toEqual([...days].sort())
    expect(changelog[0]).toMatchObject({ date: "2026-07-23", kind: "removed" })
    const removed = changelog.filter(({ date, kind }) => date === "2026-07-23" && kind === "removed")
    expect(new Set(removed.map(({ path }) => path))).toEqual(
      new Set(["/api/pro/briefing", "/api/pro/macro", "/api/pro/correlation-matrix", "/api/pro/agent-context"]),
    )
  })

  it("name paths of the contract, but for those that were removed", () => {
    const paths = new Set(endpoints.map(({ path }) => path))
    const gone = new Set(changelog.flatMap(({ kind, path, field }) => (kind === "removed" && !field ? [path] : [])))
    for (const { path } of changelog)
      if (path !== undefined) expect(paths.has(path) !== gone.has(path), path).toBe(true)
  })

  it("keep the promise of notice, and hold every deprecation that an endpoint declares", () => {
    expect(noticeFaults(changelog, FIRST_RELEASE_DAY)).toEqual([])
    expect(deprecationFaults(endpoints, changelog)).toEqual([])
  })

  it("know the day of the first release as the CHANGELOG of the software has it", () => {
    const text = readFileSync(new URL("../CHANGELOG.md", import.meta.url), "utf8")
    const days = [...text.matchAll(/^## \d+\.\d+\.\d+ \((\d{4}-\d\d-\d\d|unreleased)\)$/gm)].map(([, day]) => day)
    expect(days.length).toBeGreaterThan(0)
    const released = days.filter((day) => day !== "unreleased").sort()
    expect(released[0] ?? null).toBe(FIRST_RELEASE_DAY)
  })
})

describe("a removal", () => {
  const release = "2027-01-01"

  it("without a notice is refused", () => {
    expect(noticeFaults([removalEntry({})], release)).toEqual([
      "/api/things: removed on 2027-06-01 without a notice of 90 days",
    ])
  })

  it.each([
    ["2027-03-03", 90, []],
    ["2027-03-04", 89, ["/api/things: removed on 2027-06-01 without a notice of 90 days"]],
  ])("noticed on %s, %s days before, gives %j", (date, _, faults) => {
    expect(noticeFaults([removalEntry({ date, kind: "deprecated" }), removalEntry({})], release)).toEqual(faults)
  })

  it("counts from the day on which it takes effect", () => {
    const notice = removalEntry({ date: "2027-05-01", kind: "deprecated" })
    expect(noticeFaults([notice, removalEntry({ effective: "2027-07-30" })], release)).toEqual([])
    expect(noticeFaults([notice, removalEntry({ effective: "2027-07-29" })], release)).toHaveLength(1)
  })

  it("of a field needs the notice of that field, and one of no path is refused", () => {
    const notice = removalEntry({ date: "2027-01-02", kind: "deprecated" })
    expect(noticeFaults([notice, removalEntry({ field: "data.score" })], release)).toHaveLength(1)
    const { path: _, ...nowhere } = removalEntry({})
    expect(noticeFaults([notice, nowhere], release)).toEqual(["2027-06-01: a removal names no path"])
  })

  it("before the first release needs none", () => {
    expect(noticeFaults([removalEntry({})], null)).toEqual([])
    expect(noticeFaults([removalEntry({})], "2027-06-02")).toEqual([])
    expect(noticeFaults([removalEntry({})], "2027-06-01")).toHaveLength(1)
  })
})

describe("a deprecation that an endpoint declares", () => {
  const declared = [
    { path: "/api/things", deprecated: [{ since: "2027-01-01", until: "2027-06-01", note: "", field: "data.score" }] },
  ]

  it("has an entry of the same path, field and days", () => {
    const listed = removalEntry({
      date: "2027-01-01",
      kind: "deprecated",
      field: "data.score",
      effective: "2027-06-01",
    })
    expect(deprecationFaults(declared, [listed])).toEqual([])
    for (const other of [{ date: "2027-01-02" }, { effective: "2027-06-02" }, { field: "data" }, { path: "/api" }])
      expect(deprecationFaults(declared, [{ ...listed, ...other }]), JSON.stringify(other)).toEqual([
        "/api/things data.score: deprecated from 2027-01-01 until 2027-06-01, which no entry says",
      ])
  })
})
