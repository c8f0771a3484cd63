import * as Schema from "effect/Schema"
import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { listFeed } from "../../schemas/feed.ts"
import { Undecodable, UpstreamError } from "../document.ts"
import { AHEAD_MAX_MS } from "../readers/instants.ts"
import { type ListReader, notOurs, readList, unreadable } from "./read.ts"
import { runSteps } from "./steps.ts"

const NOW_MS = Date.parse("2026-11-20T12:00:00.000Z")
const at = (ms: number): string => new Date(ms).toISOString()

const Thing = Schema.Struct({
  id: Schema.NonEmptyString,
  size: Schema.NullOr(Schema.Finite.check(Schema.isBetween({ minimum: 0, maximum: 10 }))),
  at: Schema.String,
})
type Thing = typeof Thing.Type

const Row = Schema.Struct({ id: Schema.String, size: Schema.Finite, at: Schema.String, kind: Schema.String })
type Row = typeof Row.Type
const row = (id: string, size = 1, more: Partial<Row> = {}): Row => ({
  id,
  size,
  at: at(NOW_MS),
  kind: "thing",
  ...more,
})

const reader: ListReader<ReadonlyArray<unknown>, Row, Thing, Record<never, never>> = {
  rows: (collected) => collected,
  row: Row,
  toItem: ({ id, size, at, kind }) =>
    kind === "advertisement" ? notOurs : kind === "broken" ? unreadable("it is broken") : { id, size, at },
  contentAtMs: (_, read) => read.length,
}
const rules = {
  name: "things",
  description: "",
  item: Thing,
  itemsMax: 3,
  keepsFirst: true,
  key: (one: Thing) => one.id,
  order: (one: Thing, other: Thing) => (other.size ?? 0) - (one.size ?? 0),
  happenedAt: (one: Thing) => one.at,
}
const context = { parameters: {}, observedAtMs: NOW_MS }
const read = (rows: ReadonlyArray<unknown>, more: object = {}) =>
  runSteps(readList(listFeed({ ...rules, ...more }), reader)(rows, context))
const ids = (rows: ReadonlyArray<unknown>, more: object = {}) => {
  const { outcome } = read(rows, more)
  if (outcome instanceof UpstreamError || outcome instanceof Undecodable) throw outcome
  return outcome.payload.items.map(({ id }) => id)
}

describe("a list", () => {
  it("keeps the first of each key, then sorts, then cuts", () => {
    expect(ids([row("a", 1), row("b", 3), row("a", 9), row("c", 2), row("d", 5)])).toEqual(["d", "b", "c"])
  })
  it("of more items than its feed allows is refused, unless the feed is by definition the first of them", () => {
    const rows = ["a", "b", "a", "c"].map((id) => row(id))
    expect(ids(rows, { keepsFirst: false })).toEqual(["a", "b", "c"])
    const { outcome } = read([...rows, row("d"), null], { keepsFirst: undefined })
    expect(outcome).toBeInstanceOf(UpstreamError)
    expect(outcome).toMatchObject({ message: "the list has 4 items, more than 3" })
    expect(ids([...rows, row("d")])).toHaveLength(3)
  })
  it("keeps the order of the upstream where the feed declares none", () => {
    expect(ids([row("b", 1), row("a", 2)], { order: undefined })).toEqual(["b", "a"])
  })
  it("does not count as unreadable what is left out on purpose", () => {
    const advertisements = [1, 2, 3].map((n) => row(`x${n}`, 1, { kind: "advertisement" }))
    const { outcome, unreadable: left } = read([...advertisements, row("a")])
    expect(outcome).toMatchObject({ payload: { items: [{ id: "a" }] } })
    expect(left).toEqual([])
  })
  it.each<[string, unknown]>([
    ["has another form", { id: 7 }],
    ["is null", null],
    ["says so", row("b", 1, { kind: "broken" })],
    ["has a member out of its bounds", row("b", 99)],
    ["has no key", row("")],
    ["is of the future", row("b", 1, { at: at(NOW_MS + AHEAD_MAX_MS + 1) })],
  ])("leaves out a row that %s, and no other", (_, broken) => {
    const { outcome, unreadable: left } = read([row("a"), broken, row("c")])
    expect(outcome).toMatchObject({ payload: { items: [{ id: "a" }, { id: "c" }] } })
    expect(left).toEqual([{ problem: expect.any(String), row: broken }])
  })
  it("takes what is a little ahead of our clock for now", () => {
    expect(ids([row("a", 1, { at: at(NOW_MS + AHEAD_MAX_MS) })])).toEqual(["a"])
  })
  it("is refused where half of its rows are unreadable, and not below", () => {
    const broken = (count: number) => Array.from({ length: count }, () => null)
    expect(ids([...broken(2), row("a"), row("b"), row("c")])).toHaveLength(3)
    const { outcome, unreadable: left } = read([...broken(2), row("a"), row("b")])
    expect(outcome).toBeInstanceOf(Undecodable)
    expect(outcome).toMatchObject({ problem: "2 of 4 rows cannot be read" })
    expect(left).toHaveLength(2)
  })
  it("is refused for a single unreadable row where the feed says so", () => {
    const many = Array.from({ length: 99 }, (_, n) => row(`a${n}`))
    expect(read([...many, null], { unreadableShare: 0 }).outcome).toBeInstanceOf(Undecodable)
    expect(read(many, { unreadableShare: 0 }).outcome).not.toBeInstanceOf(Undecodable)
  })
  it("may be empty, unless the feed says that it never is", () => {
    expect(ids([])).toEqual([])
    expect(read([], { mayBeEmpty: false }).outcome).toBeInstanceOf(UpstreamError)
    const advertisement = row("x", 1, { kind: "advertisement" })
    expect(read([advertisement], { mayBeEmpty: false }).outcome).toBeInstanceOf(UpstreamError)
  })
  it("is what a plain filter, the first of each key, a sort and a cut make of it, whatever the rows", () => {
    const anyRow = fc.oneof(
      {
        weight: 8,
        arbitrary: fc.record({ id: fc.constantFrom("a", "b", "c", "d", "e"), size: fc.integer({ min: -2, max: 12 }) }),
      },
      { weight: 1, arbitrary: fc.constant(null) },
    )
    fc.assert(
      fc.property(fc.array(anyRow, { maxLength: 30 }), (some) => {
        const rows = some.map((one) => (one === null ? null : row(one.id, one.size)))
        const good = rows.filter((one) => one !== null && one.size >= 0 && one.size <= 10) as ReadonlyArray<Row>
        const bad = rows.length - good.length
        const { outcome, unreadable: left } = read(rows)
        expect(left).toHaveLength(bad)
        if (bad > 0 && bad * 2 >= rows.length) {
          expect(outcome).toBeInstanceOf(Undecodable)
          return
        }
        const firsts = good.filter(({ id }, index) => good.findIndex((one) => one.id === id) === index)
        const expected = firsts.toSorted((one, other) => other.size - one.size).slice(0, 3)
        expect(outcome).toMatchObject({ payload: { items: expected.map(({ id, size }) => ({ id, size })) } })
      }),
    )
  })
})
