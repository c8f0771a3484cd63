import type { ChangelogEntry } from "../changelog.ts"

/** An entry that removes an endpoint of no product, or what the given members say instead. */
export const removalEntry = (rest: Partial<ChangelogEntry>): ChangelogEntry => ({
  date: "2027-06-01",
  kind: "removed",
  path: "/api/things",
  text: "Things",
  ...rest,
})
