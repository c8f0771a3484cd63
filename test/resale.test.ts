import { expect, it } from "vitest"
import { sources } from "../ingestors/registry.ts"
import { views } from "../processors/registry.ts"

it("no premium view reads a feed that a source of restricted use fills", () => {
  const premium = views.filter(({ endpoint }) => endpoint.tier === "premium")
  expect(premium.length).toBeGreaterThan(0)
  const sold = new Set(premium.flatMap(({ reads }) => Object.values(reads).map(({ feed }) => feed.name)))
  const restricted = sources.filter(({ terms }) => terms.use === "restricted").map(({ fills }) => fills.name)
  expect(restricted.length).toBeGreaterThan(0)
  expect(restricted.filter((feed) => sold.has(feed))).toEqual([])
})
