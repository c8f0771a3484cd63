import * as fc from "fast-check"
import { sampleCorrelation } from "simple-statistics"
import { describe, expect, it } from "vitest"
import { pearson } from "./correlations/correlation.ts"

type Pairs = ReadonlyArray<readonly [number, number]>

/** Whole numbers, so that shifting and scaling them by whole numbers is exact. */
const whole = fc.integer({ min: -1000, max: 1000 })
const pairs = fc.array(fc.tuple(whole, whole), { minLength: 2, maxLength: 60 })
const correlated = pairs.filter((of) => pearson(of) !== null)
const isConstant = (numbers: ReadonlyArray<number>) => numbers.every((one) => one === numbers[0])
const r = (of: Pairs): number => pearson(of) ?? expect.fail("a side is constant")

describe("pearson", () => {
  it.each<[string, Pairs, number]>([
    // Deviations (-1, 0, 1) and (-1, 0, 1): 2 / sqrt(2 x 2).
    [
      "1 on a rising line",
      [
        [1, 10],
        [2, 20],
        [3, 30],
      ],
      1,
    ],
    [
      "-1 on a falling line",
      [
        [1, 30],
        [2, 20],
        [3, 10],
      ],
      -1,
    ],
    // Deviations (-1.5, -0.5, 0.5, 1.5) and (1, -1, -1, 1): -1.5 + 0.5 - 0.5 + 1.5 = 0.
    [
      "0 on a parabola",
      [
        [1, 5],
        [2, 3],
        [3, 3],
        [4, 5],
      ],
      0,
    ],
    // Deviations (-2, -1, 0, 1, 2) and (-1, -2, 1, 0, 2): 2 + 2 + 0 + 0 + 4 = 8, over sqrt(10 x 10).
    [
      "0.8 of two rankings",
      [
        [1, 2],
        [2, 1],
        [3, 4],
        [4, 3],
        [5, 5],
      ],
      0.8,
    ],
    // Deviations (-1, 0, 1) and (-2, 1, 1): 3 / sqrt(2 x 6).
    [
      "half the square root of three",
      [
        [0, 0],
        [1, 3],
        [2, 3],
      ],
      Math.sqrt(3) / 2,
    ],
  ])("is %s", (_, of, expected) => {
    expect(r(of)).toBeCloseTo(expected, 15)
  })

  // Quartet of Anscombe, The American Statistician 27 (1973): 0.816 each.
  it("of Anscombe's first set is that of the publication", () => {
    const x = [10, 8, 13, 9, 11, 14, 6, 4, 12, 7, 5]
    const y = [8.04, 6.95, 7.58, 8.81, 8.33, 9.96, 7.24, 4.26, 10.84, 4.82, 5.68]
    expect(r(x.map((one, at) => [one, y[at] ?? 0]))).toBeCloseTo(0.816_420_516_345, 12)
  })

  it.each<[string, Pairs]>([
    ["no pair", []],
    ["a single pair", [[1, 2]]],
    [
      "a constant side",
      [
        [1, 2],
        [1, 3],
        [1, 4],
      ],
    ],
    [
      "the other side",
      [
        [2, 0.1],
        [3, 0.1],
        [4, 0.1],
      ],
    ],
    [
      "zeros",
      [
        [0, 1],
        [0, 2],
      ],
    ],
    [
      "a side that differs by rounding alone",
      [
        [0.1 + 0.2, 1],
        [0.3, 2],
        [0.3, 3],
      ],
    ],
  ])("is null of %s", (_, of) => {
    expect(pearson(of)).toBeNull()
  })

  it("lies from -1 to 1, and is null exactly where a side is constant", () => {
    fc.assert(
      fc.property(pairs, (of) => {
        const found = pearson(of)
        expect(found === null).toBe(isConstant(of.map(([x]) => x)) || isConstant(of.map(([, y]) => y)))
        if (found !== null) expect(Math.abs(found)).toBeLessThanOrEqual(1)
      }),
    )
  })

  it("is symmetric, to the last digit", () => {
    fc.assert(
      fc.property(pairs, (of) => {
        expect(pearson(of.map(([x, y]) => [y, x] as const))).toBe(pearson(of))
      }),
    )
  })

  it("does not change with a positive scale or a shift of a side, and turns with a negative scale", () => {
    const factor = fc.integer({ min: 1, max: 10_000 })
    const shift = fc.integer({ min: -1_000_000, max: 1_000_000 })
    fc.assert(
      fc.property(correlated, factor, shift, factor, shift, (of, a, b, c, d) => {
        const before = r(of)
        expect(r(of.map(([x, y]) => [a * x + b, c * y + d] as const))).toBeCloseTo(before, 12)
        expect(r(of.map(([x, y]) => [-a * x + b, y] as const))).toBeCloseTo(-before, 12)
      }),
    )
  })

  it("is 1 with itself, and -1 with its opposite", () => {
    fc.assert(
      fc.property(correlated, (of) => {
        expect(r(of.map(([x]) => [x, x] as const))).toBeCloseTo(1, 12)
        expect(r(of.map(([x]) => [x, -x] as const))).toBeCloseTo(-1, 12)
      }),
    )
  })

  it("equals an independent implementation", () => {
    const returned = fc.double({ min: -0.2, max: 0.2, noNaN: true }).map((one) => Number(one.toFixed(6)))
    fc.assert(
      fc.property(fc.array(fc.tuple(returned, returned), { minLength: 3, maxLength: 60 }), (of) => {
        const found = pearson(of)
        if (found === null) return
        const other = sampleCorrelation(
          of.map(([x]) => x),
          of.map(([, y]) => y),
        )
        expect(Math.abs(found - other)).toBeLessThan(1e-9)
      }),
      { numRuns: 500 },
    )
  })

  it("keeps its digits for values that lie close together, and for huge and tiny ones", () => {
    fc.assert(
      fc.property(correlated, fc.integer({ min: -1000, max: 1000 }), (of, exponent) => {
        const before = r(of)
        // Exact: whole numbers beside one of fifteen digits, and powers of two.
        expect(r(of.map(([x, y]) => [x + 123_456_789_012_345, y] as const))).toBeCloseTo(before, 9)
        const scale = 2 ** exponent
        expect(r(of.map(([x, y]) => [x * scale, y / scale] as const))).toBeCloseTo(before, 12)
      }),
    )
    const edge: Pairs = [
      [Number.MAX_VALUE, 5e-324],
      [-Number.MAX_VALUE, 0],
      [0, 1e-323],
    ]
    expect(Number.isFinite(r(edge))).toBe(true)
  })
})
