import { expect, it } from "vitest"
import { tsunamiCategoryOf } from "./tsunami-gov.ts"

it.each([
  ["Advisory remains, Watch cancelled", "advisory"],
  ["Tsunami Watch is cancelled. A Tsunami Advisory remains in effect", "advisory"],
  ["Warning Cancellation", "cancellation"],
  ["Warnings and watches have been cancelled", "cancellation"],
  ["No Threat", "no_threat"],
  ["Information - no tsunami threat", "no_threat"],
  ["The tsunami threat has largely passed", "no_threat"],
  ["Warning - TEST", "test"],
  ["Test", "test"],
  ["Watch; Warning", "warning"],
  ["Hazard", null],
  ["", null],
])("a message that says %j is of category %s", (said, category) => {
  expect(tsunamiCategoryOf(said, "")).toBe(category)
})
