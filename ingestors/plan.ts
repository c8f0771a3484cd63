import type { Terms } from "../schemas/contract/terms.ts"
import type { RestReason } from "../schemas/events/observations.ts"
import { instanceKey, type Parameters } from "../schemas/feed.ts"
import type { Source } from "./source.ts"

/** A source that may be polled for an instance of its feed. */
export interface Candidate {
  readonly source: Source
  /** The key of its provider; null without one. */
  readonly key: string | null
  /** Addresses that a setting names instead of the provider's own. */
  readonly addresses: Readonly<Record<string, string>>
  readonly provider: string
}

/** One instance of a feed and the sources that are polled for it, by rank. It has at least one candidate. */
export interface Instance {
  /** `instanceKey` of feed and parameters. */
  readonly key: string
  readonly feed: Source["fills"]
  readonly parameters: Parameters
  readonly candidates: readonly [Candidate, ...ReadonlyArray<Candidate>]
  readonly everyMs: number
  /** Whether it can also be fetched on request. */
  readonly onDemand: boolean
  /** Whether this fetch leaves no trace: it was requested, of an unlogged feed. */
  readonly unlogged: boolean
}

/** One line of `feeds.declared`. */
interface DeclaredInstance {
  readonly feed: string
  readonly parameters: Parameters
  readonly provider: string
  /** Why it is not polled; null if it is polled. */
  readonly rests: RestReason | null
}

/** A source that is not polled, and why. */
interface RestingSource {
  readonly source: string
  readonly reason: RestReason
  /** The setting of its missing key; null if the key is not the reason. */
  readonly setting: string | null
}

/** The work of the ingest role: scheduled instances, their declaration, resting sources, and instances on demand. */
export interface Plan {
  readonly scheduled: ReadonlyArray<Instance>
  readonly declared: ReadonlyArray<DeclaredInstance>
  readonly resting: ReadonlyArray<RestingSource>
  /** The instance of an on-demand feed for given parameters; null if no source can fetch it. */
  readonly demanded: (feed: string, parameters: Parameters) => Instance | null
}

/** Looks up the key in a setting; null if none is set. */
export type KeyLookup = (setting: string) => string | null

const byRank = (a: Source, b: Source): number => a.rank - b.rank || (a.name < b.name ? -1 : 1)

/** Looks up the addresses in a setting, by document; empty if none is set. */
export type AddressLookup = (setting: string) => Readonly<Record<string, string>>

/** Whether a source on these terms may be polled. */
export type LicenceCheck = (source: string, terms: Terms) => boolean

/**
 * Makes the plan of a set of sources. Sources of one feed are fallbacks for each other by rank. A source without its
 * required key, or whose terms forbid polling, rests, and the next rank is the first choice. `everyMsMax` caps intervals.
 */
export const makePlan = (
  sources: ReadonlyArray<Source>,
  keys: KeyLookup,
  everyMsMax: number | null,
  licensed: LicenceCheck = () => true,
  addresses: AddressLookup = () => ({}),
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
  const addressesOf = ({ access }: Source): Candidate["addresses"] =>
    access === null || access.addresses === null ? {} : addresses(access.addresses.setting)
  const candidateOf = (source: Source, parameters: Parameters): ReadonlyArray<Candidate> =>
    rests.get(source) === null
      ? [{ source, key: keyOf(source), addresses: addressesOf(source), provider: source.provider(parameters) }]
      : []
  /** The reason of an instance whose sources all rest. `not_licensed` wins: only a licence is missing there, and no key. */
  const restOfAll = (all: ReadonlyArray<Source>): RestReason =>
    all.some((source) => rests.get(source) === "not_licensed") ? "not_licensed" : "not_configured"
  const instanceOf = (able: ReadonlyArray<Source>, parameters: Parameters, isRequested: boolean): Instance | null => {
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
      unlogged: isRequested && source.fills.unlogged,
    }
  }

  const scheduled: Array<Instance> = []
  const declared: Array<DeclaredInstance> = []
  for (const [feed, able] of byFeed) {
    const polled = Map.groupBy(
      able.flatMap((source) => source.instances.map((parameters) => ({ source, parameters }))),
      ({ parameters }) => instanceKey(feed, parameters),
    )
    for (const [first, ...others] of polled.values()) {
      if (first === undefined) continue
      const { parameters } = first
      const fillers = [first, ...others].map(({ source }) => source)
      const instance = instanceOf(fillers, parameters, false)
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
        true,
      ),
  }
}
