import type { Terms } from "../../schemas/contract/provenance.ts"
import type { RestReason } from "../../schemas/events/observations.ts"
import { instanceKey, type Parameters } from "../../schemas/feed.ts"
import type { Source } from "../source.ts"
import { clauseOf } from "../terms.ts"

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
export interface RestingSource {
  readonly source: string
  readonly reason: RestReason
  /** The setting that changes it. */
  readonly setting: string
  /** The clause of its terms that is the reason; null for another reason, or where none is known. */
  readonly clause: string | null
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

/** Why the operator's settings leave a source on these terms unpolled; null where they do not. */
export type RestCheck = (source: string, terms: Terms) => RestedBySettings | null

/** The reason of a source that the settings leave unpolled, and the setting that changes it. */
interface RestedBySettings {
  readonly reason: RestReason
  readonly setting: string
}

/**
 * Makes the plan of a set of sources. Sources of one feed are fallbacks for each other by rank. A source without its
 * required key, or that the settings leave unpolled, rests, and the next rank is the first choice. `everyMsMax` caps intervals.
 */
export const makePlan = (
  sources: ReadonlyArray<Source>,
  keys: KeyLookup,
  everyMsMax: number | null,
  restedBySettings: RestCheck = () => null,
  addresses: AddressLookup = () => ({}),
): Plan => {
  const byFeed = Map.groupBy(sources.toSorted(byRank), (source) => source.fills.name)
  const keyOf = ({ key }: Source): string | null => (key === null ? null : keys(key.setting))
  const addressesOf = ({ access }: Source): Candidate["addresses"] =>
    access === null || access.addresses === null ? {} : addresses(access.addresses.setting)
  const termsOf = (source: Source): Terms => {
    const given = keyOf(source) !== null ? source.key?.terms : undefined
    const named = Object.keys(addressesOf(source)).length > 0 ? source.access?.addresses?.terms : undefined
    return given ?? named ?? source.terms
  }
  const restOf = (source: Source): Omit<RestingSource, "source"> | null => {
    const terms = termsOf(source)
    const rested = restedBySettings(source.name, terms)
    if (rested?.reason === "not_configured") return { ...rested, clause: null }
    if (source.key !== null && !source.key.optional && keyOf(source) === null)
      return { reason: "not_configured", setting: source.key.setting, clause: null }
    return rested === null ? null : { ...rested, clause: clauseOf(terms) }
  }
  const rests = new Map(sources.map((source) => [source, restOf(source)] as const))
  const candidateOf = (source: Source, parameters: Parameters): ReadonlyArray<Candidate> =>
    rests.get(source) === null
      ? [{ source, key: keyOf(source), addresses: addressesOf(source), provider: source.provider(parameters) }]
      : []
  /** The reason of an instance whose sources all rest. `not_licensed` wins: only a licence is missing there, and no key. */
  const restOfAll = (all: ReadonlyArray<Source>): RestReason =>
    all.some((source) => rests.get(source)?.reason === "not_licensed") ? "not_licensed" : "not_configured"
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
    resting: [...rests].flatMap(([{ name }, rest]) => (rest === null ? [] : [{ source: name, ...rest }])),
    demanded: (feed, parameters) =>
      instanceOf(
        (byFeed.get(feed) ?? []).filter((source) => source.onDemand !== null && source.serves(parameters)),
        parameters,
        true,
      ),
  }
}
