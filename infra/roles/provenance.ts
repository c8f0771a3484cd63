import type { SourceFacts } from "../../ingestors/source-facts.ts"
import { tables, tableViews } from "../../processors/registry.ts"
import type { View } from "../../processors/view/view.ts"
import type { ProvenanceOf, TableFacts } from "../../schemas/contract/provenance.ts"
import { reliabilityId } from "../../schemas/feed.ts"
import { tableFactsOf } from "../history/table-facts.ts"

const allTables = [...tables, ...tableViews]

/** The names of the tables of an endpoint: those of its own data, then those of the feeds that its view reads. */
const tableNamesOf = (path: string, feeds: ReadonlySet<string>): ReadonlyArray<string> => {
  const own = allTables.filter(({ holds }) => holds.paths.includes(path))
  const ofFeeds = allTables.filter(({ holds }) => holds.feeds.some((feed) => feeds.has(feed)))
  return [...own, ...ofFeeds].map(({ name }) => name)
}

/**
 * Makes what gives the provenance of an endpoint: the sources, tables and monitored ids of the feeds that its view reads.
 * The DDL of the tables is read once, when the first provenance is asked for.
 */
export const makeProvenance = (
  views: ReadonlyArray<Pick<View, "endpoint" | "reads">>,
  sources: ReadonlyArray<SourceFacts>,
): ProvenanceOf => {
  let facts: ReadonlyMap<string, TableFacts> | null = null
  const factsOf = (name: string): TableFacts | ReadonlyArray<never> => {
    facts ??= new Map(tableFactsOf(allTables.map((table) => table.name)).map((one) => [one.name, one]))
    return facts.get(name) ?? []
  }
  return (path) => {
    const inputs = views.filter((one) => one.endpoint.path === path).flatMap(({ reads }) => Object.values(reads))
    const feeds = new Set(inputs.map(({ feed }) => feed.name))
    const upstreams = sources
      .filter(({ feed }) => feeds.has(feed))
      .map(({ attribution, terms }) => ({ ...attribution, terms }))
    return {
      // Several sources of one provider are one entry.
      upstreams: [...new Map(upstreams.map((one) => [JSON.stringify(one), one])).values()],
      tables: tableNamesOf(path, feeds).flatMap(factsOf),
      monitored: [...new Set(inputs.flatMap(({ feed }) => feed.instances.map((one) => reliabilityId(feed, one))))],
    }
  }
}
