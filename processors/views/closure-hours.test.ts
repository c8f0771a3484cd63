import { describe, expect, it } from "vitest"
import type { Closure } from "../../schemas/feeds/faa-status.ts"
import { closureChangesMs, isClosedAt } from "./faa-status.ts"

const closure: Closure = {
  kind: "closure",
  airport: "PVD",
  reason: "",
  notam: null,
  startsAt: null,
  endsAt: null,
  isAtCertainHours: false,
  dailyWindow: null,
}
const november = {
  startsAt: "2026-11-01T00:00:00.000Z",
  endsAt: "2026-12-01T00:00:00.000Z",
  isAtCertainHours: true,
}

describe("whether an airport is closed", () => {
  const closedAt = (members: Partial<Closure>, at: string) => isClosedAt({ ...closure, ...members }, Date.parse(at))

  it("follows its period", () => {
    const members = { startsAt: "2026-07-07T04:30:00.000Z", endsAt: "2026-08-15T09:45:00.000Z" }
    expect(closedAt(members, "2026-07-07T04:29:59Z")).toBe(false)
    expect(closedAt(members, "2026-07-07T04:30:00Z")).toBe(true)
    expect(closedAt(members, "2026-08-15T09:44:59Z")).toBe(true)
    expect(closedAt(members, "2026-08-15T09:45:00Z")).toBe(false)
  })
  it("follows windows over midnight, by the day on which they begin", () => {
    // 20 November 2026 is a Friday.
    const members = { ...november, dailyWindow: { from: "23:00", to: "06:00", weekdays: ["FRI"] as const } }
    expect(closedAt(members, "2026-11-20T22:59:00Z")).toBe(false)
    expect(closedAt(members, "2026-11-20T23:00:00Z")).toBe(true)
    expect(closedAt(members, "2026-11-21T05:59:00Z")).toBe(true)
    expect(closedAt(members, "2026-11-21T06:00:00Z")).toBe(false)
    expect(closedAt(members, "2026-11-21T23:30:00Z")).toBe(false)
    expect(closedAt(members, "2026-11-20T05:00:00Z")).toBe(false)
  })
  it("is not known where its hours are not read, except outside of its period", () => {
    const members = { ...november, dailyWindow: null }
    expect(closedAt(members, "2026-11-20T12:00:00Z")).toBeNull()
    expect(closedAt(members, "2026-12-20T12:00:00Z")).toBe(false)
  })
  it("holds for all time where no period is given", () => {
    expect(closedAt({}, "1999-01-01T00:00:00Z")).toBe(true)
  })
})

it("the instants at which a closure may change are its period, the windows around, and the next midnight", () => {
  const one = {
    ...closure,
    startsAt: "2026-11-01T00:00:00.000Z",
    isAtCertainHours: true,
    dailyWindow: { from: "23:00", to: "06:00", weekdays: ["FRI"] as const },
  }
  expect(closureChangesMs(one, Date.parse("2026-11-21T03:00:00Z")).map((ms) => new Date(ms).toISOString())).toEqual([
    "2026-11-01T00:00:00.000Z",
    "2026-11-20T23:00:00.000Z",
    "2026-11-21T06:00:00.000Z",
    "2026-11-22T00:00:00.000Z",
  ])
})
