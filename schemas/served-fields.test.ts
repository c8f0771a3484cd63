import { describe, expect, it } from "vitest"
import { changelog, FIRST_RELEASE_DAY } from "./changelog.ts"
import { endpoints } from "./registry.ts"
import { committedFields, fieldsText, removalFaults, servedFields } from "./served-fields.ts"
import { removalEntry } from "./testing/removal-entry.ts"

const RELEASE = "2027-01-01"
const before = { "/api/things": ["items", "items[].score", "items[].score.high", "items[].scores"], "/api/old": ["a"] }
const SAYS = "gone, and no entry of the changelog says so"

describe("the fields of the contract", () => {
  it("are committed as they are served, and none is gone in silence (else run npm run snapshots)", () => {
    const now = servedFields(endpoints)
    expect(removalFaults(committedFields(), now, changelog, FIRST_RELEASE_DAY)).toEqual([])
    expect(fieldsText(committedFields())).toBe(fieldsText(now))
    expect(now["/api/earthquake"]).toEqual(expect.arrayContaining(["earthquakes", "earthquakes[].magnitude"]))
    expect(Object.keys(now)).toEqual(endpoints.map(({ path }) => path).sort())
  })
})

describe("a field that is gone", () => {
  const gone = { ...before, "/api/things": ["items", "items[].scores"] }

  it("is refused without an entry of its own, of a field that holds it, or of its endpoint", () => {
    const faults = [`/api/things items[].score: ${SAYS}`, `/api/things items[].score.high: ${SAYS}`]
    expect(removalFaults(before, gone, [], RELEASE)).toEqual(faults)
    for (const field of ["items[].score", "data.items[].score", "items"])
      expect(removalFaults(before, gone, [removalEntry({ field })], RELEASE), field).toEqual([])
    expect(removalFaults(before, gone, [removalEntry({})], RELEASE)).toEqual([])
    for (const other of [
      { field: "items[].scores" },
      { field: "items[].sco" },
      { path: "/api/old" },
      { kind: "deprecated" as const },
    ])
      expect(removalFaults(before, gone, [removalEntry(other)], RELEASE), JSON.stringify(other)).toEqual(faults)
    expect(removalFaults(before, gone, [removalEntry({ field: "items[].score.high" })], RELEASE)).toEqual(
      faults.slice(0, 1),
    )
  })

  it("with its endpoint needs an entry of the endpoint", () => {
    const { "/api/old": _, ...rest } = before
    expect(removalFaults(before, rest, [removalEntry({ path: "/api/old", field: "a" })], RELEASE)).toEqual([
      `/api/old: ${SAYS}`,
    ])
    expect(removalFaults(before, rest, [removalEntry({ path: "/api/old" })], RELEASE)).toEqual([])
  })

  it("is no fault before the first release, and neither is a new one", () => {
    expect(removalFaults(before, {}, [], null)).toEqual([])
    expect(removalFaults({}, before, [], RELEASE)).toEqual([])
  })
})
