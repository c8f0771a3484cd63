import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { cvss3Score } from "./cvss.ts"

describe("cvss3Score", () => {
  // Scores as FIRST's calculator and the National Vulnerability Database give them.
  it.each([
    ["CVSS:3.1/AV:N/AC:L/PR:N/UI:N/S:U/C:H/I:H/A:H", 9.8],
    ["CVSS:3.0/AV:N/AC:L/PR:N/UI:N/S:C/C:H/I:H/A:H", 10],
    ["CVSS:3.1/AV:N/AC:L/PR:N/UI:N/S:U/C:N/I:N/A:H", 7.5],
    ["CVSS:3.1/AV:N/AC:L/PR:N/UI:R/S:C/C:L/I:L/A:N", 6.1],
    ["CVSS:3.1/AV:L/AC:L/PR:L/UI:N/S:U/C:H/I:H/A:H", 7.8],
    ["CVSS:3.1/AV:N/AC:L/PR:L/UI:N/S:C/C:L/I:L/A:N", 6.4],
    ["CVSS:3.1/AV:N/AC:H/PR:H/UI:N/S:C/C:H/I:H/A:H", 8],
    ["CVSS:3.1/AV:L/AC:H/PR:L/UI:N/S:U/C:L/I:N/A:N", 2.5],
    ["CVSS:3.1/AV:P/AC:H/PR:H/UI:R/S:U/C:N/I:N/A:N", 0],
    ["CVSS:3.1/AV:N/AC:L/PR:N/UI:N/S:U/C:H/I:H/A:H/E:P/RL:O", 9.8],
    ["CVSS:3.1/A:H/I:H/C:H/S:U/UI:N/PR:N/AC:L/AV:N", 9.8],
  ])("of %s is %s", (vector, score) => expect(cvss3Score(vector)).toBe(score))

  it.each([
    ["another version", "CVSS:4.0/AV:N/AC:L/AT:N/PR:N/UI:N/VC:H/VI:H/VA:H/SC:N/SI:N/SA:N"],
    ["version 2", "AV:N/AC:L/Au:N/C:P/I:P/A:P"],
    ["a number", "9.8"],
    ["nothing", ""],
    ["a missing metric", "CVSS:3.1/AV:N/AC:L/PR:N/UI:N/S:U/C:H/I:H"],
    ["a value that the metric cannot have", "CVSS:3.1/AV:H/AC:L/PR:N/UI:N/S:U/C:H/I:H/A:H"],
    ["a metric twice", "CVSS:3.1/AV:N/AV:P/AC:L/PR:N/UI:N/S:U/C:H/I:H/A:H"],
    ["a name of every object", "CVSS:3.1/AV:constructor/AC:L/PR:N/UI:N/S:U/C:H/I:H/A:H"],
    ["a lower case", "cvss:3.1/av:n/ac:l/pr:n/ui:n/s:u/c:h/i:h/a:h"],
  ])("of %s is null", (_, vector) => expect(cvss3Score(vector)).toBeNull())

  it("is a number from 0 to 10 with one decimal, and never falls when an impact rises", () => {
    const level = fc.constantFrom("N", "L", "H")
    const vector = fc
      .record({
        AV: fc.constantFrom("N", "A", "L", "P"),
        AC: fc.constantFrom("L", "H"),
        PR: level,
        UI: fc.constantFrom("N", "R"),
        S: fc.constantFrom("U", "C"),
        C: level,
        I: level,
      })
      .map(
        (metrics) =>
          `CVSS:3.1/${Object.entries(metrics)
            .map((pair) => pair.join(":"))
            .join("/")}`,
      )
    fc.assert(
      fc.property(vector, (base) => {
        const [none = -1, low = -1, high = -1] = ["N", "L", "H"].map(
          (impact) => cvss3Score(`${base}/A:${impact}`) ?? -1,
        )
        for (const score of [none, low, high]) {
          expect(score).toBeGreaterThanOrEqual(0)
          expect(score).toBeLessThanOrEqual(10)
          expect(Number(score.toFixed(1))).toBe(score)
        }
        expect([none, low, high].toSorted((one, other) => one - other)).toEqual([none, low, high])
      }),
    )
  })
})
