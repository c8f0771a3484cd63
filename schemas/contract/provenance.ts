import type { AttributionEntry } from "./catalog.ts"
import type { Terms } from "./terms.ts"

// Where the data of an endpoint comes from, and where its past is. Facts of ingestors and processors: the installation
// gives them to the API, which imports neither.

/** An upstream of an endpoint. */
export interface Upstream extends AttributionEntry {
  readonly terms: Terms
}

/** A column of a table of the history. */
export interface TableColumn {
  readonly name: string
  /** Its type in ClickHouse. */
  readonly type: string
  /** What it means, with its unit. */
  readonly comment: string
}

/** A query that runs as it stands. */
export interface ReadyQuery {
  readonly title: string
  readonly sql: string
}

/** A table of the history. */
export interface TableFacts {
  readonly name: string
  readonly comment: string
  readonly columns: ReadonlyArray<TableColumn>
  /** The first ready query that reads it, else one of its latest rows. */
  readonly query: ReadyQuery
}

/** The origin of an endpoint's data, and its past. */
export interface Provenance {
  readonly upstreams: ReadonlyArray<Upstream>
  readonly tables: ReadonlyArray<TableFacts>
  /** The ids under which reliability judges the feeds that the endpoint is made of. */
  readonly monitored: ReadonlyArray<string>
}

/** The provenance of an endpoint, by its path; empty for one without upstreams. Read from files: not for every request. */
export type ProvenanceOf = (path: string) => Provenance

/** The provenance of what has no upstream. */
export const noProvenance: Provenance = { upstreams: [], tables: [], monitored: [] }
