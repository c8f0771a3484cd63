import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { type TrimFacts, trimTo } from "./trimmer.ts"

const facts = (changes: Partial<TrimFacts> = {}): TrimFacts => {
  const candidates = Array.from({ length: 10 }, (_, index) => ({
    offset: index * 2,
    timeMs: index * 1_000,
    eventId: `e${index}`,
    partition: index < 5 ? "202601" : "202602",
  }))
  return {
    start: 0,
    candidates,
    next: 20,
    cutMs: 1_000_000,
    archived: new Map(candidates.map(({ offset, eventId }) => [offset, eventId])),
    floor: Number.POSITIVE_INFINITY,
    ...changes,
  }
}

describe("trimTo", () => {
  it("allows records that are old and archived", () => {
    expect(trimTo(facts())).toBe(20)
    expect(trimTo(facts({ cutMs: 4_000 }))).toBe(8)
    expect(trimTo(facts({ cutMs: 0 }))).toBe(0)
  })

  it("stops at the first event that the archive lacks, or that differs there", () => {
    const { archived } = facts()
    const without = new Map(archived)
    without.delete(6)
    expect(trimTo(facts({ archived: without }))).toBe(6)
    expect(trimTo(facts({ archived: new Map(archived).set(4, "another") }))).toBe(4)
    expect(trimTo(facts({ archived: new Map() }))).toBe(0)
    expect(trimTo(facts({ archived: null }))).toBe(20)
  })

  it("allows what the archive has dropped, or will never take", () => {
    const archived = new Map(facts().archived)
    for (const offset of [0, 2, 4, 6, 8]) archived.delete(offset)
    expect(trimTo(facts({ archived }))).toBe(0)
    expect(trimTo(facts({ archived, archiveCut: "202602" }))).toBe(20)
    archived.delete(12)
    expect(trimTo(facts({ archived, archiveCut: "202602" }))).toBe(12)
    expect(trimTo(facts({ archived, archiveCut: "202602", floor: 3 }))).toBe(3)
  })

  it("stops at the offset of another reader", () => {
    expect(trimTo(facts({ floor: 7 }))).toBe(7)
    expect(trimTo(facts({ floor: 0 }))).toBe(0)
  })

  it("never drops an event that is young, not archived, or needed", () => {
    fc.assert(
      fc.property(
        fc.array(fc.record({ timeMs: fc.option(fc.integer({ min: 0, max: 100 })), archived: fc.boolean() })),
        fc.integer({ min: 0, max: 100 }),
        fc.integer({ min: 0, max: 30 }),
        (events, cutMs, floor) => {
          const candidates = events.map(({ timeMs }, offset) => ({
            offset,
            timeMs,
            eventId: `e${offset}`,
            partition: "202601",
          }))
          const archived = new Map(
            events.flatMap((event, offset) => (event.archived ? [[offset, `e${offset}`] as const] : [])),
          )
          const before = trimTo({ start: 0, candidates, next: events.length, cutMs, archived, floor })
          for (const { offset, timeMs } of candidates.filter((one) => one.offset < before)) {
            expect(timeMs === null || timeMs < cutMs).toBe(true)
            expect(archived.has(offset)).toBe(true)
            expect(offset).toBeLessThan(floor)
          }
        },
      ),
    )
  })
})
