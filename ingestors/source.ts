import { Duration, type Effect } from "effect"
import type { Facts, Feed, ListPayload, Parameters } from "../schemas/feed.ts"
import type { CollectFailed, Document, Upstream, UpstreamError } from "./document.ts"
import type { ProviderAccess, ProviderKey } from "./provider-access.ts"
import { type ListReader, readList } from "./read-list.ts"
import { readValue } from "./read-value.ts"
import type { Normalised, ReadContext, Reading } from "./reading.ts"
import type { Steps } from "./steps.ts"
import type { Terms } from "./terms.ts"

/** Who has made the data, for replies, catalog and documentation. */
export interface Attribution {
  readonly provider: string
  readonly licence: string
  readonly url: string
}

/** One collection, as data: which instance, when its poll began, and the provider's key, null where none was given. */
export interface CollectInput extends ReadContext {
  readonly key: string | null
}

/** One upstream source: where, how often, decode, normalise. The runner does the rest, the same for all. */
export interface Source<Collected = unknown, Payload = unknown> {
  readonly _tag: "Source"
  /** Kebab case, equal to the file's name and to the folder of its captures. */
  readonly name: string
  /** `Provider.metric`, as `_meta.sources[].name` shows it; stable under the 90-day promise. A function where the instances differ. */
  provider(parameters: Parameters): string
  readonly fills: Feed<Payload>
  /** 1 is asked first; the next rank stands in when it fails. */
  readonly rank: number
  /** Whether the source can be asked for an instance of its feed. */
  serves(parameters: Parameters): boolean
  /** The instances that it polls on schedule: those of its feed that it serves. */
  readonly instances: ReadonlyArray<Parameters>
  everyMs(parameters: Parameters): number
  /** Set when instances are also fetched on request: the budget of such fetches. */
  readonly onDemand: { readonly perMinuteMax: number; readonly perDayMax: number } | null
  /** How its provider is accessed; null where any client may, at the pace of every host. */
  readonly access: ProviderAccess | null
  /** The key of its provider; null where there is none. */
  readonly key: ProviderKey | null
  /** Every form of document that this upstream is known to send; captures are tried against each. */
  readonly documents: Readonly<Record<string, Document>>
  collect(upstream: Upstream, collection: CollectInput): Effect.Effect<Collected, CollectFailed>
  /** Pure, in steps. */
  read(collected: Collected, context: ReadContext): Steps<Reading<Payload>>
  /**
   * Which instance a recorded answer is of, where the answer itself says so and what was asked is compared with it; null
   * where it does not say. For trying captures.
   */
  recordedParameters(wire: unknown): Parameters | null
  readonly attribution: Attribution
  /** The terms without a key. */
  readonly terms: Terms
}

/** What every declaration of a source says, whatever its feed. */
export interface Declaration<Collected, Payload, Item> {
  readonly name: string
  readonly provider: string | ((parameters: Parameters) => string)
  readonly fills: Feed<Payload, Item>
  readonly rank?: number
  /** Which instances of the feed this source fills, where several sources share them. All by default. */
  readonly serves?: (parameters: Parameters) => boolean
  readonly every: Duration.Input | ((parameters: Parameters) => Duration.Input)
  readonly onDemand?: { readonly perMinuteMax: number; readonly perDayMax: number }
  readonly access?: ProviderAccess
  readonly documents: Readonly<Record<string, Document>>
  readonly collect: (upstream: Upstream, collection: CollectInput) => Effect.Effect<Collected, CollectFailed>
  readonly recordedParameters?: (wire: unknown) => Parameters | null
  readonly attribution: Attribution
  readonly terms: Terms
}

const declared = <Collected, Payload, Item>(
  definition: Declaration<Collected, Payload, Item>,
  read: Source<Collected, Payload>["read"],
): Source<Collected, Payload> => {
  const { provider, every, serves = () => true } = definition
  return {
    _tag: "Source",
    name: definition.name,
    provider: typeof provider === "string" ? () => provider : provider,
    fills: definition.fills,
    rank: definition.rank ?? 1,
    serves,
    instances: definition.fills.instances.filter(serves),
    everyMs: (parameters) => Duration.toMillis(typeof every === "function" ? every(parameters) : every),
    onDemand: definition.onDemand ?? null,
    access: definition.access ?? null,
    key: definition.access?.key ?? null,
    documents: definition.documents,
    collect: definition.collect,
    read,
    recordedParameters: definition.recordedParameters ?? (() => null),
    attribution: definition.attribution,
    terms: definition.terms,
  }
}

/** Declares a source of a feed that is one value. `normalise` is pure; what it returns is held to the feed's schema. */
export const valueSource = <Collected, Value>(
  definition: Declaration<Collected, Value, Value> & {
    readonly normalise: (
      collected: NoInfer<Collected>,
      context: ReadContext,
    ) => Normalised<NoInfer<Value>> | UpstreamError
  },
): Source<Collected, Value> => declared(definition, readValue(definition.fills, definition.normalise))

/**
 * Declares a source of a list feed. It gives the rows of what it collected and reads one at a time (`toItem`); all that is
 * common to lists (unreadable rows, duplicates, order, cap) follows from the feed's own rules.
 */
export const listSource = <Collected, Row, Item, Members extends Facts, MayBeEmpty extends boolean>(
  definition: Declaration<Collected, ListPayload<Item, Members, MayBeEmpty>, Item> &
    ListReader<NoInfer<Collected>, Row, NoInfer<Item>, NoInfer<Members>>,
): Source<Collected, ListPayload<Item, Members, MayBeEmpty>> =>
  declared(definition, readList(definition.fills, definition))
