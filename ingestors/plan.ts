import type { RestReason } from "../schemas/events/observations.ts"
import { instanceKey, type Parameters } from "../schemas/feed.ts"
import type { Source } from "./source.ts"
import type { Terms } from "./terms.ts"

/** A source that may be polled for an instance of its feed, with its provider's key; null where there is none. */
export interface Candidate {
  readonly source: Source
  readonly key: string | null
  readonly provider: string
}

/** One instance of a feed and the sources that are polled for it, the first choice first. Never empty of candidates. */
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

/** A source that is not polled, and why. */
export interface Resting {
  readonly source: string
  readonly reason: RestReason
  /** The setting that would hold its key, where that is missing. */
  readonly setting: string | null
}

/** What the ingest role does: what it polls, what it declares about that, what rests, and what is fetched on request. */
export interface Plan {
  readonly scheduled: ReadonlyArray<Instance>
  readonly declared: ReadonlyArray<Declared>
  readonly resting: ReadonlyArray<Resting>
  /** The instance of an on-demand feed for given parameters, or null where the feed cannot be fetched. */
  readonly demanded: (feed: string, parameters: Parameters) => Instance | null
}

/** Looks up the key that a setting holds; null where none was given. */
export type Keys = (setting: string) => string | null

const byRank = (a: Source, b: Source): number => a.rank - b.rank || (a.name < b.name ? -1 : 1)

/** Whether a source on these terms may be polled. */
export type Licensed = (source: string, terms: Terms) => boolean

/**
 * Makes the plan of a set of sources. Sources of one feed stand in for each other by rank; one whose key was not given, or
 * whose terms forbid it here, rests, and the next rank is then the first choice. `everyMsMax` shortens longer intervals.
 */
export const makePlan = (
  sources: ReadonlyArray<Source>,
  keys: Keys,
  everyMsMax: number | null,
  licensed: Licensed = () => true,
): Plan => {
  const byFeed = Map.groupBy(sources.toSorted(byRank), (source) => source.fills.name)
  const keyOf = ({ key }: Source): string | null => (key === null ? null : keys(key.setting))
  const restOf = (source: Source): RestReason | null => {
    const given = keyOf(source) !== null
    if (source.key !== null && !source.key.optional && !given) return "not_configured"
    const terms = (given ? source.key?.terms : undefined) ?? source.terms
    return licensed(source.name, terms) ? null : "not_licensed"
  }
  const rests = new Map(sources.map((source) => [source, restOf(source)] as const))
  const candidateOf = (source: Source, parameters: Parameters): ReadonlyArray<Candidate> =>
    rests.get(source) === null ? [{ source, key: keyOf(source), provider: source.provider(parameters) }] : []
  /** Why an instance rests of which all sources do: a licence that is missing is the lesser step. */
  const restOfAll = (all: ReadonlyArray<Source>): RestReason =>
    all.some((source) => rests.get(source) === "not_licensed") ? "not_licensed" : "not_configured"
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
      const fillers = [first, ...others].map(({ source }) => source)
      const instance = instanceOf(fillers, parameters)
      if (instance !== null) scheduled.push(instance)
      declared.push({
        feed,
        parameters,
        provider: instance?.candidates[0].provider ?? first.source.provider(parameters),
        rests: instance === null ? restOfAll(fillers) : null,
      })
    }
  }
  return {
    scheduled,
    declared,
    resting: [...rests].flatMap(([{ name, key }, reason]) =>
      reason === null
        ? []
        : [{ source: name, reason, setting: reason === "not_configured" ? (key?.setting ?? null) : null }],
    ),
    demanded: (feed, parameters) =>
      instanceOf(
        (byFeed.get(feed) ?? []).filter((source) => source.onDemand !== null && source.serves(parameters)),
        parameters,
      ),
  }
}
