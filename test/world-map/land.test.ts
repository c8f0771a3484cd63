import { readFileSync } from "node:fs"
import { gzipSync } from "node:zlib"
import { expect, it } from "vitest"
import { landSvg } from "./land.ts"

const asset = readFileSync(new URL("../../api/pages/assets/land.svg", import.meta.url), "utf8")

it("the committed map is what its script prints of the atlas", () => {
  expect(asset === landSvg(), "print it again: node test/world-map/print-land.ts > api/pages/assets/land.svg").toBe(
    true,
  )
})

it("the map is small, names its origin, and has no style that the policy of pages would refuse", () => {
  expect(gzipSync(asset).length).toBeLessThan(20_000)
  expect(asset).toContain("Natural Earth (public domain)")
  expect(asset).not.toMatch(/<style|style=|<script/)
})
