import * as fc from "fast-check"
import { describe, expect, it } from "vitest"
import type { Feed } from "../../schemas/feed.ts"
import { eventReader } from "../../schemas/registry.ts"
import { declared, failed, foldedInPieces, foldingBench, observed, tick, unchangedPoll } from "../testing/folding.ts"
import { bench, changesOf, items, latest, things } from "../testing/latest-views.ts"
import { makeLatest } from "./latest.ts"

describe("item changes", () => {
  it("given a list that is a window, when items leave it, then that is no event, and what appears or changes is one", () => {
    const windowed = { ...things, publishesGone: false }
    const made = foldingBench(makeLatest([], new Map([["things", windowed as Feed]])), eventReader)
    made.fold(observed(1000, "things", items(["a", 1], ["b", 1])), observed(2000, "things", items(["b", 2], ["c", 1])))
    expect(changesOf(made).map(([, type, key]) => [type, key])).toEqual([
      ["item.appeared", "a"],
      ["item.appeared", "b"],
      ["item.changed", "b"],
      ["item.appeared", "c"],
    ])
  })

  const catalogue = fc.uniqueArray(
    fc.record(
      { id: fc.constantFrom("a", "b", "c", "d"), rev: fc.integer({ min: 0, max: 2 }) },
      { noNullPrototype: true },
    ),
    {
      selector: ({ id }) => id,
    },
  )

  it("rebuild every payload from the one before: what appeared, changed and went is the whole difference", () => {
    fc.assert(
      fc.property(fc.array(catalogue, { minLength: 1, maxLength: 8 }), (payloads) => {
        const made = bench()
        const known = new Map<string, unknown>()
        for (const [index, payload] of payloads.entries()) {
          made.fold(observed(1000 * (index + 1), "things", { items: payload }))
          for (const { type, data } of made.derived().filter(({ id }) => id.startsWith(`e${index}/`))) {
            const { key, item } = data as { readonly key: string; readonly item: unknown }
            // Nothing appears twice, changes without being there, or goes without having come.
            expect(known.has(key)).toBe(type !== "item.appeared")
            if (type === "item.gone") known.delete(key)
            else known.set(key, item)
          }
          expect(Object.fromEntries(known)).toEqual(Object.fromEntries(payload.map((item) => [item.id, { ...item }])))
        }
      }),
      { numRuns: 60 },
    )
  })

  it("are none when the payload stays", () => {
    fc.assert(
      fc.property(catalogue, (payload) => {
        const made = bench()
        made.fold(observed(1000, "things", { items: payload }))
        const before = made.derived().length
        made.fold(observed(2000, "things", { items: payload.toReversed() }))
        expect(made.derived()).toHaveLength(before)
      }),
      { numRuns: 30 },
    )
  })

  it("of a feed unknown to this release are published by a later release that declares it", () => {
    const older = foldingBench(makeLatest([], new Map()), eventReader)
    older.fold(observed(1000, "things", items(["a", 1])))
    expect(older.derived()).toEqual([])
    const newer = foldingBench(latest, eventReader, older.checkpoint())
    newer.fold(unchangedPoll(2000, "things"))
    expect(changesOf(newer)).toEqual([["e1/latest/0", "item.appeared", "a"]])
    newer.fold(unchangedPoll(3000, "things"))
    expect(newer.derived()).toHaveLength(1)
  })
})

describe("replays", () => {
  const happening = fc.oneof(
    fc.record({
      kind: fc.constant("observed"),
      ids: fc.subarray(["a", "b", "c", "poison"]),
      rev: fc.integer({ min: 0, max: 3 }),
    }),
    fc.record({ kind: fc.constant("unchanged"), ids: fc.constant([]), rev: fc.constant(0) }),
    fc.record({ kind: fc.constant("failed"), ids: fc.constant([]), rev: fc.constant(0) }),
    fc.record({ kind: fc.constant("tick"), ids: fc.constant([]), rev: fc.constant(0) }),
    fc.record({
      kind: fc.constant("place"),
      ids: fc.subarray(["here", "there"], { minLength: 1 }),
      rev: fc.integer({ min: 0, max: 3 }),
    }),
    fc.record({ kind: fc.constant("declared"), ids: fc.subarray(["x"]), rev: fc.constant(0) }),
  )
  const eventsOf = (
    all: ReadonlyArray<{
      readonly kind: string
      readonly ids: ReadonlyArray<string>
      readonly rev: number
      readonly gapMs: number
    }>,
  ) => {
    let atMs = 0
    return all.map(({ kind, ids, rev, gapMs }) => {
      atMs += gapMs
      if (kind === "observed") return observed(atMs, "things", items(...ids.map((id) => [id, rev] as const)))
      if (kind === "unchanged") return unchangedPoll(atMs, "things")
      if (kind === "failed") return failed(atMs, "things", "status", "503")
      if (kind === "place") return observed(atMs, "places", { value: rev }, { parameters: { at: ids[0] ?? "" } })
      if (kind === "declared")
        return declared(atMs, [
          { feed: "things", provider: "A.things", ...(ids.length > 0 ? {} : { rests: "not_configured" as const }) },
        ])
      return tick(atMs)
    })
  }

  it("give identical bytes however the events are cut into batches and wherever the process is begun again", () => {
    fc.assert(
      fc.property(
        fc.array(fc.tuple(happening, fc.constantFrom(0, 10_000, 3_600_000, 90_000_000)), {
          minLength: 1,
          maxLength: 25,
        }),
        fc.array(fc.boolean(), { minLength: 25, maxLength: 25 }),
        (history, cuts) => {
          const events = eventsOf(history.map(([one, gapMs]) => ({ ...one, gapMs })))
          const whole = bench()
          whole.fold(...events)
          expect(foldedInPieces(latest, eventReader, events, cuts)).toEqual(whole.everything())
        },
      ),
      { numRuns: 80 },
    )
  })
})
