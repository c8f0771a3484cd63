import { OUTLET, OWN_OUTLETS_MAX, outletsByDefault } from "../../schemas/feeds/headlines.ts"
import { providerAccess } from "../provider-access.ts"

/** Outlets that publish their headlines as RSS or Atom. */
export const newsRss = providerAccess({
  name: "news-rss",
  addresses: {
    setting: "NEWS_RSS_URLS",
    description:
      "feeds of headlines (RSS or Atom): a name of your own adds an outlet, whose terms you answer for; the same for every role",
    names: outletsByDefault,
    ownNames: { pattern: OUTLET, max: OWN_OUTLETS_MAX },
  },
})
