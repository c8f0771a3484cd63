import type { Terms } from "../schemas/contract/provenance.ts"
import { isTagged, loadDirectory } from "../schemas/directory.ts"
import { instanceKey } from "../schemas/feed.ts"
import type { Attribution, Source } from "./source.ts"

/** Every source: the files of `sources/`, one each. */
export const sources: ReadonlyArray<Source> = (await loadDirectory(new URL("sources/", import.meta.url))).flatMap(
  ({ exports }) => exports.filter(isTagged<Source>("Source")),
)

/** The facts of a source that concern its readers. Plain data: threads and processes that do not ingest need no code of it. */
export interface SourceFacts {
  readonly name: string
  /** The feed that it fills. */
  readonly feed: string
  /** The keys (`instanceKey`) of the instances that it is polled for on schedule. */
  readonly instances: ReadonlyArray<string>
  /** Its names in `_meta.sources`. */
  readonly providers: ReadonlyArray<string>
  readonly attribution: Attribution
  /** The terms without a key. */
  readonly terms: Terms
}

/** The facts of a source. */
export const sourceFactsOf = ({ name, fills, instances, provider, attribution, terms }: Source): SourceFacts => ({
  name,
  feed: fills.name,
  instances: instances.map((parameters) => instanceKey(fills.name, parameters)),
  providers: [...new Set(instances.map((parameters) => provider(parameters)))],
  attribution,
  terms,
})
