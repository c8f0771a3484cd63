import * as Duration from "effect/Duration"
import type * as Effect from "effect/Effect"
import type { Terms } from "../schemas/contract/provenance.ts"
import type { Facts, Feed, ListPayload, Parameters } from "../schemas/feed.ts"
import type { CollectFailed, Document, Upstream, UpstreamError } from "./document.ts"
import { type ListReader, type Normalised, type ReadContext, type Reading, readList, readValue } from "./poll/read.ts"
import type { Steps } from "./poll/steps.ts"
import type { ProviderAccess, ProviderKey } from "./provider-access.ts"

/** Attribution of the data, for replies, catalog and documentation. */
export interface Attribution {
  readonly provider: string
  readonly licence: string
  readonly url: string
}

/** The input of one collection: instance, start time, the provider's key (null without one), and addresses of settings. */
export interface CollectInput extends ReadContext {
  readonly key: string | null
  /** Addresses that the operator named instead of the provider's own, by document; none by default. */
  readonly addresses?: Readonly<Record<string, string>>
}

/** One upstream source: addresses, interval, decoding and normalisation. Everything else is the runner's, for all sources. */
export interface Source<Collected = unknown, Payload = unknown> {
  readonly _tag: "Source"
  /** Kebab case, equal to the file's name. */
  readonly name: string
  /** The folder of its recorded answers: that of its upstream, where several sources ask the same one. */
  readonly recordedIn: string
  /** `Provider.metric`, as `_meta.sources[].name` shows it; stable under the 90-day promise. A function if it differs by instance. */
  provider(parameters: Parameters): string
  readonly fills: Feed<Payload>
  /** 1 is polled first; the next rank is the fallback. */
  readonly rank: number
  /** Whether the source provides an instance of its feed. */
  serves(parameters: Parameters): boolean
  /** The instances polled on schedule: those of its feed that it serves. */
  readonly instances: ReadonlyArray<Parameters>
  everyMs(parameters: Parameters): number
  /** Whether its answers hold a time of their content. Where they hold none, content is as old as it has been unchanged. */
  readonly isDated: boolean
  /** The quota of fetches on request; null if its instances are only polled on schedule. */
  readonly onDemand: { readonly perMinuteMax: number; readonly perDayMax: number } | null
  /** The declared access to its provider; null for access without key or quota, at the default rate. */
  readonly access: ProviderAccess | null
  /** The key of its provider; null without one. */
  readonly key: ProviderKey | null
  /** The documents that `collect` requests. Captures are decoded by each of them, and by those of test/captures/. */
  readonly documents: Readonly<Record<string, Document>>
  collect(upstream: Upstream, collection: CollectInput): Effect.Effect<Collected, CollectFailed>
  /** Pure, as cooperative work. */
  read(collected: Collected, context: ReadContext): Steps<Reading<Payload>>
  /**
   * The instance of a recorded answer, if the answer names it; else null. Used for captures only, because `read` compares
   * the requested instance with the answer.
   */
  recordedParameters(wire: unknown): Parameters | null
  readonly attribution: Attribution
  /** The terms without a key. */
  readonly terms: Terms
}

/** The common members of a source's declaration. */
export interface Declaration<Collected, Payload, Item> {
  readonly name: string
  /** The source's name unless given. */
  readonly recordedIn?: string
  readonly provider: string | ((parameters: Parameters) => string)
  readonly fills: Feed<Payload, Item>
  readonly rank?: number
  /** Whether this source provides an instance of the feed. All by default. */
  readonly serves?: (parameters: Parameters) => boolean
  readonly every: Duration.Input | ((parameters: Parameters) => Duration.Input)
  /** False where no answer holds a time of its content. */
  readonly isDated?: boolean
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
    recordedIn: definition.recordedIn ?? definition.name,
    provider: typeof provider === "string" ? () => provider : provider,
    fills: definition.fills,
    rank: definition.rank ?? 1,
    serves,
    instances: definition.fills.instances.filter(serves),
    everyMs: (parameters) => Duration.toMillis(typeof every === "function" ? every(parameters) : every),
    isDated: definition.isDated ?? true,
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

/** Declares a source of a feed that is one value. `normalise` is pure; its result is checked by the feed's schema. */
export const valueSource = <Collected, Value>(
  definition: Declaration<Collected, Value, Value> & {
    readonly normalise: (
      collected: NoInfer<Collected>,
      context: ReadContext,
    ) => Normalised<NoInfer<Value>> | UpstreamError
  },
): Source<Collected, Value> => declared(definition, readValue(definition.fills, definition.normalise))

/**
 * Declares a source of a list feed: the rows of the collected documents, and the conversion of one row (`toItem`). Unreadable
 * rows, duplicates, order and cap are handled by the rules of the feed.
 */
export const listSource = <Collected, Row, Item, Members extends Facts, MayBeEmpty extends boolean>(
  definition: Declaration<Collected, ListPayload<Item, Members, MayBeEmpty>, Item> &
    ListReader<NoInfer<Collected>, Row, NoInfer<Item>, NoInfer<Members>>,
): Source<Collected, ListPayload<Item, Members, MayBeEmpty>> =>
  declared(definition, readList(definition.fills, definition))
