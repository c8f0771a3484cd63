import { listFeed, type Parameters } from "../feed.ts"
import { headlineRules } from "../headline.ts"
import { readInstallation } from "../installation.ts"
import { pressOffices } from "./press-releases.ts"

/** The outlets that are followed unless `NEWS_RSS_URLS` names more. */
export const outletsByDefault = ["coindesk"] as const
/** How many more outlets the setting may name. */
export const OWN_OUTLETS_MAX = 20
/** The name of an outlet: kebab case, and none of the press offices, which are read by a feed of their own. */
export const OUTLET = new RegExp(`^(?!(?:${pressOffices.join("|")})$)(?=.{1,40}$)[a-z0-9]+(?:-[a-z0-9]+)*$`)

/** The outlets that a text of the form of `NEWS_RSS_URLS` (`name=address`, comma separated) adds to those by default. */
export const ownOutletsOf = (text: string): ReadonlyArray<string> => {
  const byDefault: ReadonlyArray<string> = outletsByDefault
  const named = text.split(",").flatMap((entry) => (entry.includes("=") ? [(entry.split("=")[0] ?? "").trim()] : []))
  return [...new Set(named)]
    .filter((one) => OUTLET.test(one) && !byDefault.includes(one))
    .sort()
    .slice(0, OWN_OUTLETS_MAX)
}

/** The outlet of an instance. Throws for an instance that is none of the feed's. */
export const outletOf = ({ outlet = "" }: Parameters): string => {
  if (!OUTLET.test(outlet)) throw new TypeError("not an outlet of this feed")
  return outlet
}

const outlets: ReadonlyArray<string> = [...outletsByDefault, ...ownOutletsOf(readInstallation().newsOutlets)]

export const headlines = listFeed({
  ...headlineRules,
  name: "headlines",
  description: "The latest headlines of news outlets, an instance for each outlet.",
  instances: outlets.map((outlet) => ({ outlet })),
  contentAgeMax: "12 hours",
})
