import { readFileSync } from "node:fs"
import { gzipSync } from "node:zlib"
import { expect, it } from "vitest"
import { landFiles } from "./land.ts"

const assetOf = (name: string): string =>
  readFileSync(new URL(`../../api/pages/assets/${name}`, import.meta.url), "utf8")

/** The land that every page loads, and that of a zoomed map. */
const sizesMax: Readonly<Record<string, number>> = { "land.svg": 20_000, "land-fine.svg": 150_000 }

it("the committed maps are what their script prints of the atlas", () => {
  for (const [name, svg] of Object.entries(landFiles()))
    expect(assetOf(name) === svg, `${name}: print it again: node test/world-map/print-land.ts`).toBe(true)
})

it.each(Object.keys(sizesMax))(
  "%s is small, names its origin, and has no style that the policy of pages would refuse",
  (name) => {
    const asset = assetOf(name)
    expect(gzipSync(asset).length).toBeLessThan(sizesMax[name] ?? 0)
    expect(asset).toContain("Natural Earth (public domain)")
    expect(asset).not.toMatch(/<style|style=|<script/)
  },
)
