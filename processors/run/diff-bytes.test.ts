import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { applyPatch, decodePatch, encodePatch, valueHash } from "../../schemas/values/value-patch.ts"
import { diffBytes } from "./diff-bytes.ts"

const patchOf = (before: Uint8Array, after: Uint8Array) =>
  encodePatch({ before: valueHash(before), after: valueHash(after), parts: diffBytes(before, after) })

const applied = (before: Uint8Array, record: Uint8Array) => {
  const patch = decodePatch(record)
  return patch === null ? null : applyPatch(before, patch)
}

describe("a patch", () => {
  it("turns any value into any other", () => {
    const piece = fc.oneof(
      fc.uint8Array({ maxLength: 3_000, size: "max" }),
      fc.tuple(fc.nat(255), fc.nat(5_000)).map(([byte, length]) => new Uint8Array(length).fill(byte)),
    )
    // Values that share pieces, in any order.
    const values = fc
      .tuple(fc.array(piece, { minLength: 1, maxLength: 6 }), fc.array(fc.nat(5)), fc.array(fc.nat(5)))
      .map(([pieces, one, other]) =>
        [one, other].map((order) => Buffer.concat(order.map((index) => pieces[index % pieces.length] ?? Buffer.of()))),
      )
    fc.assert(
      fc.property(values, ([before = Buffer.of(), after = Buffer.of()]) => {
        expect(applied(before, patchOf(before, after))).toEqual(after)
      }),
      { numRuns: 500 },
    )
  })

  it("is small where an item is put in, taken out, changed or moved, wherever that is", () => {
    const item = (seed: number) => ({ id: `item-${seed}`, at: seed * 7919, words: `words ${seed ** 3} `.repeat(9) })
    const list = (seeds: ReadonlyArray<number>) => Buffer.from(JSON.stringify({ items: seeds.map(item) }))
    const thousand = Array.from({ length: 1_000 }, (_, index) => index)
    const before = list(thousand)
    const change = fc.constantFrom<(at: number) => ReadonlyArray<number>>(
      (at) => thousand.toSpliced(at, 0, 5_000 + at),
      (at) => thousand.toSpliced(at, 1),
      (at) => thousand.with(at, 5_000 + at),
      (at) => [...thousand.toSpliced(at, 1), at],
    )
    fc.assert(
      fc.property(fc.nat(999), change, (at, changed) => {
        const after = list(changed(at))
        const patch = patchOf(before, after)
        expect(applied(before, patch)).toEqual(after)
        // Pieces of a few hundred bytes around the change: at most 915 in all 4,000 cases.
        expect(patch.length).toBeLessThan(before.length / 100)
      }),
      { numRuns: 200 },
    )
  })

  it("is refused when its record is malformed, or when it reaches beyond the value before", () => {
    const record = (text: string) => Buffer.from(text)
    const hash = valueHash(record("a"))
    expect(decodePatch(record(`#patch/1 ${hash} ${hash} [2]\nxy`))?.parts).toEqual([record("xy")])
    for (const bad of [
      "",
      "{}",
      `#patch/2 ${hash} ${hash} [2]\nxy`,
      `#patch/1 ${hash} ${hash} [2]\nxyz`,
      `#patch/1 ${hash} ${hash} [2]`,
    ])
      expect(decodePatch(record(bad))).toBeNull()
    for (const plan of ["[-1]", '["2"]', "[[0]]", "[[0,-1]]", "[null]", "{}", "[2"])
      expect(decodePatch(record(`#patch/1 ${hash} ${hash} ${plan}\n`))).toBeNull()
    expect(applyPatch(record("abc"), { before: hash, after: hash, parts: [{ from: 1, count: 3 }] })).toBeNull()
  })
})
