import { Duration, type Effect, Schema } from "effect"
import type { HttpFailed, HttpProbe } from "../infra/http/http-client.port.ts"
import type { Feed, Parameters } from "../schemas/feed.ts"

/** How the bytes of a document become a value, before its schema is asked. See formats.ts. */
export type DocumentFormat = "json" | "xml" | "csv" | "text"

/** One document of an upstream: where it stands and what its wire form is. */
export interface Document<Input = unknown, Wire = unknown> {
  readonly _tag: "Document"
  readonly format: DocumentFormat
  readonly wire: Schema.Codec<Wire, unknown>
  url(input: Input): string
  readonly headers: Readonly<Record<string, string>>
  readonly bodyBytesMax: number
}

const BODY_BYTES_MAX = 16 * 1024 * 1024

/** Declares a document. A wire schema names what is used and tolerates everything else. */
export const document = <Wire, Input = void>(definition: {
  readonly format: DocumentFormat
  readonly wire: Schema.Codec<Wire, unknown>
  readonly url: string | ((input: Input) => string)
  readonly headers?: Readonly<Record<string, string>>
  readonly bodyBytesMax?: number
}): Document<Input, Wire> => {
  const { url } = definition
  return {
    _tag: "Document",
    format: definition.format,
    wire: definition.wire,
    url: typeof url === "string" ? () => url : url,
    headers: definition.headers ?? {},
    bodyBytesMax: definition.bodyBytesMax ?? BODY_BYTES_MAX,
  }
}

/** A document came, and it is not what its schema says; or the upstream answered with an error in a 200. */
export class Undecodable extends Schema.TaggedError<Undecodable>()("Undecodable", {
  document: Schema.String,
  problem: Schema.String,
}) {
  override get message() {
    return `${this.document}: ${this.problem}`
  }
}

/** The upstream says itself, in a well-formed answer, that it has nothing to give. */
export class UpstreamError extends Schema.TaggedError<UpstreamError>()("UpstreamError", { message: Schema.String }) {}

export type CollectFailed = HttpFailed | Undecodable | UpstreamError

/** What a source may do while it collects. Everything is bounded and measured by the runner behind it. */
export interface Upstream {
  readonly get: <Input, Wire>(
    document: Document<Input, Wire>,
    input: Input,
  ) => Effect.Effect<Wire, HttpFailed | Undecodable>
  readonly probe: (url: string, timeoutMs: number) => Effect.Effect<HttpProbe, HttpFailed>
}

/** What a source makes of what it collected: the feed's payload, and the upstream's own time of its newest content. */
export interface Normalised<Payload> {
  readonly payload: Payload
  /** Milliseconds since the epoch, or null where the upstream tells no time. */
  readonly contentAtMs: number | null
}

/** Who has made the data, for replies, catalog and documentation. */
export interface Attribution {
  readonly provider: string
  readonly licence: string
  readonly url: string
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
  /** Instances polled on schedule. An on-demand source lists its canary alone. */
  readonly instances: ReadonlyArray<Parameters>
  everyMs(parameters: Parameters): number
  /** Set when instances are also fetched on request: the budget of such fetches. */
  readonly onDemand: { readonly perMinuteMax: number; readonly perDayMax: number } | null
  /** Name of the setting that holds the key this source cannot do without; null when it needs none. */
  readonly keySetting: string | null
  /** Every form of document that this upstream is known to send; captures are tried against each. */
  readonly documents: Readonly<Record<string, Document>>
  collect(upstream: Upstream, parameters: Parameters, key: string | null): Effect.Effect<Collected, CollectFailed>
  /** Pure. `observedAtMs` is when the poll began. Fails only with `UpstreamError`, by returning it. */
  normalise(collected: Collected, context: Observation): Normalised<Payload> | UpstreamError
  readonly attribution: Attribution
}

/** Which instance a collection is of, and when its poll began. */
export interface Observation {
  readonly parameters: Parameters
  readonly observedAtMs: number
}

/** Declares a source. */
export const source = <Collected, Payload>(definition: {
  readonly name: string
  readonly provider: string | ((parameters: Parameters) => string)
  readonly fills: Feed<Payload>
  readonly rank?: number
  readonly instances?: ReadonlyArray<Parameters>
  readonly every: Duration.Input | ((parameters: Parameters) => Duration.Input)
  readonly onDemand?: { readonly perMinuteMax: number; readonly perDayMax: number }
  readonly keySetting?: string
  readonly documents: Readonly<Record<string, Document>>
  readonly collect: (
    upstream: Upstream,
    parameters: Parameters,
    key: string | null,
  ) => Effect.Effect<Collected, CollectFailed>
  readonly normalise: (
    collected: NoInfer<Collected>,
    context: Observation,
  ) => Normalised<NoInfer<Payload>> | UpstreamError
  readonly attribution: Attribution
}): Source<Collected, Payload> => {
  const { provider, every } = definition
  return {
    _tag: "Source",
    name: definition.name,
    provider: typeof provider === "string" ? () => provider : provider,
    fills: definition.fills,
    rank: definition.rank ?? 1,
    instances: definition.instances ?? [{}],
    everyMs: (parameters) => Duration.toMillis(typeof every === "function" ? every(parameters) : every),
    onDemand: definition.onDemand ?? null,
    keySetting: definition.keySetting ?? null,
    documents: definition.documents,
    collect: definition.collect,
    normalise: definition.normalise,
    attribution: definition.attribution,
  }
}
