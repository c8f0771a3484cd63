import { listFeed, type Parameters } from "../feed.ts"
import { headlineRules } from "../headline.ts"

/** Press offices whose releases are in the public domain, each an instance of the feed. */
export const pressOffices = ["federal-reserve", "sec"] as const
export type PressOffice = (typeof pressOffices)[number]

/** The office of an instance. Throws for an instance that is none of the feed's. */
export const officeOf = ({ office }: Parameters): PressOffice => {
  const known = pressOffices.find((one) => one === office)
  if (known === undefined) throw new TypeError("not an office of this feed")
  return known
}

export const pressReleases = listFeed({
  ...headlineRules,
  name: "press-releases",
  description:
    "Titles of the latest press releases of the SEC and of the Federal Reserve, an instance for each office.",
  instances: pressOffices.map((office) => ({ office })),
  // The SEC was seen silent for twelve days.
  contentAgeMax: "21 days",
})
