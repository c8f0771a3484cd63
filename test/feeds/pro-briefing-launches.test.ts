import { describe, expect, it } from "vitest"
import latest from "../../processors/folds/latest.ts"
import { launch as anyLaunch } from "../../processors/testing/delta-feeds.ts"
import { foldingBench, observed as saw, tick } from "../../processors/testing/folding.ts"
import launchesView from "../../processors/views/launches.ts"
import type { Launch } from "../../schemas/feeds/launches.ts"
import type { ProBriefingFull } from "../../schemas/payloads/pro-briefing.ts"
import { eventReader } from "../../schemas/registry.ts"
import { built, NOW_MS } from "./support/pro-briefing.ts"
import { reading, shown } from "./support/shown.ts"

const MINUTE_MS = 60_000
const launch = (name: string, members: Partial<Launch> = {}): Launch => anyLaunch(name, null, { name, ...members })
const inMinutes = (minutes: number): string => new Date(NOW_MS + minutes * MINUTE_MS).toISOString()

describe("the launches of the premium briefing", () => {
  const flying = launch("flying", { net: inMinutes(-2), statusAbbreviation: "In Flight", status: "Launch in Flight" })
  const held = launch("held", { net: inMinutes(-90), statusAbbreviation: "Hold" })
  const flown = launch("flown", { net: inMinutes(-1), statusAbbreviation: "Success" })
  const soon = launch("soon", { net: inMinutes(10), provider: null })
  const someDay = launch("some day", { net: inMinutes(40_000), netPrecision: "month", statusAbbreviation: "TBD" })
  const untimed = launch("untimed", { statusAbbreviation: "Hold" })
  const sectionOf = (...items: ReadonlyArray<Launch>) =>
    built(new Map([["launches", reading({ items, facts: {} })]])).sections.launches

  it("are those of /api/launches, and the next is the first whose time is still ahead", () => {
    const items = [held, flying, flown, soon, someDay, untimed]
    expect(sectionOf(...items)).toEqual({
      count: 5,
      next: {
        name: "soon",
        provider: null,
        status: "Go for Launch",
        time: NOW_MS + 10 * MINUTE_MS,
        time_precision: "minute",
      },
    })
    expect(shown(launchesView, [reading({ items, facts: {} })], { nowMs: NOW_MS })).toMatchObject({ count: 5 })
  })

  it("have no next one where none has a time ahead", () => {
    expect(sectionOf(held, flying, untimed)).toEqual({ count: 3, next: null })
    expect(sectionOf(flown)).toEqual({ count: 0, next: null })
  })

  it("show a placeholder with its precision", () => {
    expect(sectionOf(someDay)?.next).toMatchObject({ time: NOW_MS + 40_000 * MINUTE_MS, time_precision: "month" })
  })

  it("are 20 at most", () => {
    const items = Array.from({ length: 30 }, (_, at) => launch(`l${at}`, { net: inMinutes(at + 1) }))
    expect(sectionOf(...items)).toMatchObject({ count: 20, next: { name: "l0" } })
  })

  it("follow the clock: one leaves at its time, without news", () => {
    const made = foldingBench(latest, eventReader)
    const next = () => {
      const body = made.view("/api/pro/briefing") as { readonly data: ProBriefingFull }
      return [body.data.sections.launches?.count, body.data.sections.launches?.next?.name]
    }
    const payload = { items: [soon, someDay], facts: {} }
    made.fold(saw(NOW_MS, "launches", payload as never))
    expect(next()).toEqual([2, "soon"])
    made.fold(tick(NOW_MS + 10 * MINUTE_MS - 1))
    expect(next()).toEqual([2, "soon"])
    made.fold(tick(NOW_MS + 10 * MINUTE_MS))
    expect(next()).toEqual([1, "some day"])
  })
})
