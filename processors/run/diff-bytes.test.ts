import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { applyPatch, decodePatch, encodePatch, valueHash } from "../../schemas/value-patch.ts"
import { alignedRuns, diffBytes } from "./diff-bytes.ts"

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
    expect(applyPatch(record("abc"), { parts: [{ from: 1, count: 3 }] })).toBeNull()
  })
})

const words = (index: number): string => Array.from({ length: 20 }, (_, word) => Math.sin(index * 20 + word)).join(" ")
const row = (index: number, note: string): string => `${index}: ${words(index)} ${note}\n`
const text = (notes: ReadonlyArray<string>): Buffer =>
  Buffer.from(notes.map((note, index) => row(index, note)).join(""))
const runsOf = (before: Buffer, after: Buffer) => alignedRuns(before, after, 0, before.length, after.length)

describe("the runs of two values that differ in short places", () => {
  const before = text(Array.from({ length: 50 }, (_, index) => `at ${1_000 + index}`))

  it.each([
    ["of equal length", (index: number) => `at ${2_000 + index}`],
    ["of another length", (index: number) => `at ${"9".repeat(index % 12)}`],
  ])("are the rest of each row: %s", (_, note) => {
    const after = text(Array.from({ length: 50 }, (__, index) => note(index)))
    const runs = runsOf(before, after)
    expect(runs.length).toBe(50)
    for (const { from, start, count } of runs)
      expect(before.subarray(from, from + count).equals(after.subarray(start, start + count))).toBe(true)
    const shared = runs.reduce((sum, { count }) => sum + count, 0)
    // Of each difference, the bytes up to the first anchor behind it are found later, by lengthening the run.
    expect(after.length - shared).toBeLessThan(50 * 64)
  })

  it("go on behind a row that was put in or taken out", () => {
    const rows = Array.from({ length: 50 }, (_, index) => row(index, "at 1"))
    const added = rows.toSpliced(20, 0, row(99, "at 1"))
    for (const [one, other] of [
      [rows, added],
      [added, rows],
    ] as const) {
      const [first, second] = [Buffer.from(one.join("")), Buffer.from(other.join(""))]
      const head = rows.slice(0, 20).join("").length
      const [run, ...more] = alignedRuns(first, second, head, first.length, second.length)
      expect(more).toEqual([])
      expect(Number(run?.start) + Number(run?.count)).toBe(second.length)
      expect(Number(run?.from) + Number(run?.count)).toBe(first.length)
    }
  })

  it("stop where too little agrees, and where nothing does", () => {
    const same = "what all rows have in common, and what is shorter than a run must be on average ".padEnd(100, "-")
    const short = (factor: number) =>
      Buffer.from(Array.from({ length: 2_000 }, (_, index) => `${same}${1_000 + ((index * factor) % 997)}`).join("\n"))
    expect(runsOf(short(17), short(18)).length).toBeLessThan(10)
    expect(runsOf(before, Buffer.alloc(5_000, "x"))).toEqual([])
    expect(runsOf(before, Buffer.of())).toEqual([])
  })
})
