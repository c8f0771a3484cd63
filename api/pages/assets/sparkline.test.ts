import { describe, expect, it } from "vitest"
import { linePath, lineText } from "./sparkline.js"

describe("the line of a tile", () => {
  it("goes through its values from the left to the right, the largest at the top", () => {
    expect(linePath([1, 3, 2])).toBe("M0.0 22.0h0L50.0 2.0L100.0 12.0")
    expect(linePath([5, 5])).toBe("M0.0 12.0h0L100.0 12.0")
  })

  it("has a gap where nothing was known", () => {
    expect(linePath([1, null, 2, null])).toBe("M0.0 22.0h0M66.7 2.0h0")
    expect(linePath([null, null])).toBe("")
  })

  it("is said in words, and not drawn of a single value", () => {
    expect(lineText([2, null, 1_234.5, 0.00004124])).toBe(
      "24 hours: from 2 to 0.00004124, least 0.00004124, most 1,234.5",
    )
    expect([lineText([]), lineText([null]), lineText([1, null])]).toEqual([null, null, null])
  })
})
