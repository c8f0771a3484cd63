import { describe, expect, it } from "vitest"
import { alignedRuns } from "./aligned-runs.ts"

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
