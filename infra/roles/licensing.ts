import type { SourceFacts } from "../../ingestors/source-facts.ts"
import { type Licensing, maySell } from "../../ingestors/terms.ts"
import type { View } from "../../processors/view/view.ts"
import type { WithheldByPath } from "../../schemas/contract/withheld.ts"
import type { Settings } from "../config/settings.ts"

/** What the settings say about the terms of sources. The service sells credits where it has a wallet. */
export const licensingOf = ({
  walletAddress,
  restrictedSources,
  resaleSources,
}: Pick<Settings, "walletAddress" | "restrictedSources" | "resaleSources">): Licensing => ({
  isSelling: walletAddress !== null,
  restrictedSources: restrictedSources ?? [],
  resaleSources: resaleSources ?? [],
})

/**
 * The names of the sources that may not be sold, by the feed that they fill. Their terms without a key count, as an API
 * process has no keys: an operator whose key brings other terms names the source in `RESALE_SOURCES`.
 */
const unsoldByFeed = (
  sources: ReadonlyArray<SourceFacts>,
  licensing: Licensing,
): ReadonlyMap<string, ReadonlyArray<string>> => {
  const unsold = sources.filter(({ name, terms }) => !maySell(licensing, name, terms))
  const byFeed = Map.groupBy(unsold, ({ feed }) => feed)
  return new Map([...byFeed].map(([feed, of]) => [feed, of.map(({ name }) => name).sort()]))
}

/**
 * The inputs of premium views that are withheld. One source that may not be sold withholds its feed, whichever source filled
 * the feed last: fallbacks change by the minute, and a series mixes them.
 */
export const withheldOf = (
  views: ReadonlyArray<Pick<View, "endpoint" | "reads">>,
  sources: ReadonlyArray<SourceFacts>,
  licensing: Licensing,
): WithheldByPath => {
  const unsold = unsoldByFeed(sources, licensing)
  return new Map(
    views.flatMap(({ endpoint, reads }) => {
      if (endpoint.tier !== "premium") return []
      const withheld = Object.entries(reads).filter(([, { feed }]) => unsold.has(feed.name))
      if (withheld.length === 0) return []
      const feeds = new Set(withheld.map(([, { feed }]) => feed.name))
      return [[endpoint.path, { inputs: new Set(withheld.map(([name]) => name)), feeds: [...feeds].sort() }] as const]
    }),
  )
}

/** The log line about withheld data: its feeds, the sources that forbid the sale, and the endpoints that lack it. */
export const withheldText = (
  withheld: WithheldByPath,
  sources: ReadonlyArray<SourceFacts>,
  licensing: Licensing,
): string => {
  const unsold = unsoldByFeed(sources, licensing)
  const feeds = new Set([...withheld.values()].flatMap((part) => part.feeds))
  const parts = [...feeds].sort().map((feed) => {
    const paths = [...withheld].filter(([, part]) => part.feeds.includes(feed)).map(([path]) => path)
    return `${feed} (${unsold.get(feed)?.join(", ")}) from ${paths.sort().join(", ")}`
  })
  return `not_licensed, withheld from premium replies: ${parts.join("; ")} (the terms of these sources allow no resale; see RESALE_SOURCES)`
}
