import fc from "fast-check"
import { expect, it } from "vitest"
import { jsonBytes, shortText } from "./tile.ts"

it("keeps a text that fits, and cuts another between characters", () => {
  expect(shortText("Kodiak, Alaska", 14)).toBe("Kodiak, Alaska")
  expect(shortText("Kodiak, Alaska", 13)).toBe("Kodiak, Al…")
  expect(shortText("\u{1F30B}\u{1F30B}\u{1F30B}", 11)).toBe("\u{1F30B}\u{1F30B}…")
})

it("never exceeds its bytes in JSON, whatever the text holds", () => {
  fc.assert(
    fc.property(fc.string({ unit: "binary", maxLength: 200 }), fc.integer({ min: 3, max: 60 }), (text, bytesMax) => {
      const short = shortText(text, bytesMax)
      expect(jsonBytes(short)).toBeLessThanOrEqual(bytesMax)
      if (short !== text) expect(text.startsWith(short.slice(0, -1))).toBe(true)
    }),
  )
})
