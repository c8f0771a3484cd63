import type { RestReason } from "../schemas/events/observations.ts"
import { instanceKey, type Parameters } from "../schemas/feed.ts"
import type { Source } from "./source.ts"

/** A source that may be asked for an instance of its feed, with the key it needs. */
export interface Candidate {
  readonly source: Source
  readonly key: string | null
  readonly provider: string
}

/** One instance of a feed and who is asked for it, the first choice first. Never empty of candidates. */
export interface Instance {
  /** `instanceKey` of feed and parameters. */
  readonly key: string
  readonly feed: Source["fills"]
  readonly parameters: Parameters
  readonly candidates: readonly [Candidate, ...ReadonlyArray<Candidate>]
  readonly everyMs: number
  /** Whether it is fetched on request too. */
  readonly onDemand: boolean
}

/** One line of `feeds.declared`. */
export interface Declared {
  readonly feed: string
  readonly parameters: Parameters
  readonly provider: string
  /** Why it is not polled; null where it is. */
  readonly rests: RestReason | null
}

/** What the ingest role does: what it polls, what it tells about that, and what it can be asked for. */
export interface Plan {
  readonly scheduled: ReadonlyArray<Instance>
  readonly declared: ReadonlyArray<Declared>
  /** The instance of an on-demand feed for given parameters, or null where the feed cannot be asked. */
  readonly demanded: (feed: string, parameters: Parameters) => Instance | null
}

/** Looks up the key that a setting holds; null where none was given. */
export type Keys = (setting: string) => string | null

const byRank = (a: Source, b: Source): number => a.rank - b.rank || (a.name < b.name ? -1 : 1)

/**
 * Makes the plan of a set of sources. Sources of one feed stand in for each other by rank; one whose key was not given is
 * never asked, and the next rank is then the first choice. `everyMsMax` shortens intervals that are longer.
 */
export const makePlan = (sources: ReadonlyArray<Source>, keys: Keys, everyMsMax: number | null): Plan => {
  const byFeed = Map.groupBy(sources.toSorted(byRank), (source) => source.fills.name)
  const candidateOf = (source: Source, parameters: Parameters): ReadonlyArray<Candidate> => {
    const key = source.keySetting === null ? null : keys(source.keySetting)
    return source.keySetting !== null && key === null ? [] : [{ source, key, provider: source.provider(parameters) }]
  }
  const instanceOf = (able: ReadonlyArray<Source>, parameters: Parameters): Instance | null => {
    const [first, ...others] = able.flatMap((source) => candidateOf(source, parameters))
    if (first === undefined) return null
    const { source } = first
    return {
      key: instanceKey(source.fills.name, parameters),
      feed: source.fills,
      parameters,
      candidates: [first, ...others],
      everyMs: Math.min(source.everyMs(parameters), everyMsMax ?? Number.POSITIVE_INFINITY),
      onDemand: source.onDemand !== null,
    }
  }

  const scheduled: Array<Instance> = []
  const declared: Array<Declared> = []
  for (const [feed, able] of byFeed) {
    const polled = Map.groupBy(
      able.flatMap((source) => source.instances.map((parameters) => ({ source, parameters }))),
      ({ parameters }) => instanceKey(feed, parameters),
    )
    for (const [first, ...others] of polled.values()) {
      if (first === undefined) continue
      const { parameters } = first
      const instance = instanceOf(
        [first, ...others].map(({ source }) => source),
        parameters,
      )
      if (instance !== null) scheduled.push(instance)
      declared.push({
        feed,
        parameters,
        provider: instance?.candidates[0].provider ?? first.source.provider(parameters),
        rests: instance === null ? "not_configured" : null,
      })
    }
  }
  return {
    scheduled,
    declared,
    demanded: (feed, parameters) =>
      instanceOf(
        (byFeed.get(feed) ?? []).filter((source) => source.onDemand !== null && source.serves(parameters)),
        parameters,
      ),
  }
}
