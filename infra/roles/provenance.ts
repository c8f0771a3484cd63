import type { SourceFacts } from "../../ingestors/source-facts.ts"
import { feedViews, tables, tableViews } from "../../processors/registry.ts"
import type { Provenance, ProvenanceOf } from "../../schemas/contract/provenance.ts"
import { reliabilityId } from "../../schemas/feed.ts"
import { tableFactsOf } from "../history/table-facts.ts"

/** The feeds that the view of an endpoint reads. */
const inputsOf = (path: string) =>
  feedViews.filter(({ endpoint }) => endpoint.path === path).flatMap(({ reads }) => Object.values(reads))

const tablesOf = (path: string, feeds: ReadonlySet<string>): Provenance["tables"] => {
  const all = [...tables, ...tableViews]
  const own = all.filter(({ holds }) => holds.paths.includes(path))
  const ofFeeds = all.filter(({ holds }) => holds.feeds.some((feed) => feeds.has(feed)))
  return tableFactsOf([...own, ...ofFeeds].map(({ name }) => name))
}

/** Makes what gives the provenance of an endpoint: the sources, tables and monitored ids of the feeds that its view reads. */
export const makeProvenance =
  (sources: ReadonlyArray<SourceFacts>): ProvenanceOf =>
  (path) => {
    const inputs = inputsOf(path)
    const feeds = new Set(inputs.map(({ feed }) => feed.name))
    const upstreams = sources
      .filter(({ feed }) => feeds.has(feed))
      .map(({ attribution, terms: { url: termsUrl, use, resale } }) => ({ ...attribution, termsUrl, use, resale }))
    return {
      // Several sources of one provider are one entry.
      upstreams: [...new Map(upstreams.map((one) => [JSON.stringify(one), one])).values()],
      tables: tablesOf(path, feeds),
      monitored: [...new Set(inputs.flatMap(({ feed }) => feed.instances.map((one) => reliabilityId(feed, one))))],
    }
  }
