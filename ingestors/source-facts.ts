import type { Terms } from "../schemas/contract/terms.ts"
import type { Attribution, Source } from "./source.ts"

/** The facts of a source that concern its readers. Plain data: threads and processes that do not ingest need no code of it. */
export interface SourceFacts {
  readonly name: string
  /** The feed that it fills. */
  readonly feed: string
  readonly attribution: Attribution
  /** The terms without a key. */
  readonly terms: Terms
}

/** The facts of a source. */
export const sourceFactsOf = ({ name, fills, attribution, terms }: Source): SourceFacts => ({
  name,
  feed: fills.name,
  attribution,
  terms,
})
