import type { Schema } from "effect"
import type { Counted } from "./counted.ts"
import type { NoCharge } from "./no-charge.ts"
import type { ParameterSet, ParameterValues } from "./parameters.ts"
import type { Responses } from "./responses.ts"

/** What every endpoint declares: the single place that says what it is. Routes, validation, catalog and OpenAPI come from it. */
export interface EndpointFacts<P extends ParameterSet, Data> {
  readonly _tag: "Endpoint"
  readonly path: string
  /** Stable identifier for programs: OpenAPI operation, tool name. Snake case. */
  readonly name: string
  readonly method: "GET" | "POST"
  readonly summary: string
  readonly description: string
  /** Whether a bearer token is read, and whether there is an answer without one. */
  readonly bearer: "none" | "optional" | "required"
  readonly parameters: P
  /** Which share a call counts against. */
  readonly counted: Counted
  /** With what a request may be answered, by status: 200 and every refusal. */
  readonly responses: Responses
  /** The data of a reply; plain JSON, whose decoded and encoded forms are the same. */
  readonly data: Schema.Codec<Data, unknown>
  /** An example of `data`; a test decodes it. */
  readonly example: Data
}

/** Members of what may be reused for a time. */
interface Reusable {
  /** How long a reply may be reused, for the given parameters, in milliseconds; 0: not at all. */
  readonly ttlMs: (parameters: Readonly<Record<string, string>>) => number
}

/** Members of what is served from a view that processors fold. `Full` is what the view builds. */
export interface ViewFacts<P extends ParameterSet, Data, Full> extends EndpointFacts<P, Data>, Reusable {
  readonly kind: "prepared" | "filtered" | "on-demand"
  readonly method: "GET"
  /**
   * `data`: `{source, endpoint, updated_at, data, _meta}`. `composed`, `premium`: the members of the data stand beside
   * those of the envelope (schemas/envelope.ts).
   */
  readonly envelope: "data" | "composed" | "premium"
  /**
   * What stands in the reply while there is no data: null in a `data` envelope; else what a view would build, whose
   * members are null wherever nothing is known.
   */
  readonly cold: Full | null
}

/** Members of what may cost credits. */
interface Priced<Data> {
  readonly tier: "free" | "premium"
  /** Credits of a call; 0 for free endpoints. */
  readonly credits: number
  /** When a premium call is free of charge; empty for free endpoints. */
  readonly noCharge: ReadonlyArray<NoCharge<Data>>
}

/** Bytes stand ready for a finite set of parameters. */
export interface PreparedEndpoint<P extends ParameterSet = ParameterSet, Data = unknown>
  extends ViewFacts<P, Data, Data>,
    Priced<Data> {
  readonly kind: "prepared"
  /** Whether the data holds nothing: a premium call is free of charge then. */
  empty(data: Data): boolean
}

/** What a call is given of a prepared view. */
export interface Selection<Data = unknown> {
  readonly data: Data
  /**
   * Names of the view's inputs that the data is made of, those that have no reading yet included: `_meta` and billing
   * speak of these alone.
   */
  readonly inputs: ReadonlyArray<string>
}

/** A bounded filter over one prepared view. */
export interface FilteredEndpoint<P extends ParameterSet = ParameterSet, Data = unknown, Full = unknown>
  extends ViewFacts<P, Data, Full>,
    Priced<Full> {
  readonly kind: "filtered"
  /** Makes the data of a reply of the view's, for the decoded parameters. Pure and without a clock. */
  select(full: Full, parameters: ParameterValues<P>): Selection<Data>
  /**
   * Whether a selection holds nothing. A premium call is free of charge then; replies of a free endpoint whose empty data
   * is the same share their bytes, so that empty data should not repeat what was asked for.
   */
  empty(data: Data): boolean
}

/** Fetched for the parameters when there is no recent answer to them. */
export interface OnDemandEndpoint<P extends ParameterSet = ParameterSet, Data = unknown>
  extends ViewFacts<P, Data, Data> {
  readonly kind: "on-demand"
  readonly tier: "free"
}

/** Read from the history for the parameters. */
export interface QueriedEndpoint<P extends ParameterSet = ParameterSet, Data = unknown>
  extends EndpointFacts<P, Data>,
    Reusable,
    Priced<Data> {
  readonly kind: "queried"
  readonly method: "GET"
  readonly tier: "premium"
  readonly envelope: "premium"
}

/** The service's own facts, the same for every caller. */
export interface DocumentEndpoint<P extends ParameterSet = ParameterSet, Data = unknown>
  extends EndpointFacts<P, Data>,
    Reusable {
  readonly kind: "document"
  readonly method: "GET"
  readonly tier: "service" | "payment"
  /** What its body may be, the first unless a client prefers another. A body that is not JSON is a text. */
  readonly mediaTypes: readonly [string, ...ReadonlyArray<string>]
}

/** A JSON body that a request brings, and an example that decodes. */
export interface RequestBody<A = unknown> {
  readonly schema: Schema.Codec<A, unknown>
  readonly example: A
  /** Whether the request may come without one. */
  readonly optional?: boolean
}

/** Carried out for one caller, by the body that was sent or for the token: its reply is never kept. */
export interface CommandEndpoint<P extends ParameterSet = ParameterSet, Data = unknown> extends EndpointFacts<P, Data> {
  readonly kind: "command"
  readonly tier: "service" | "payment"
  /** The body of a POST; null for what only reads the token. */
  readonly body: RequestBody | null
}

/**
 * One endpoint. What is generic over an endpoint's own types (`select`, `empty`, `when`) are methods, whose parameters
 * TypeScript compares both ways: so a list holds endpoints of any data without a cast.
 */
export type Endpoint =
  | PreparedEndpoint
  | FilteredEndpoint
  | OnDemandEndpoint
  | QueriedEndpoint
  | DocumentEndpoint
  | CommandEndpoint

/** How an endpoint gets its answer. */
export type EndpointKind = Endpoint["kind"]
export const endpointKinds = ["prepared", "filtered", "on-demand", "queried", "document", "command"] as const

/** Endpoints whose data processors fold. */
export type ViewEndpoint = PreparedEndpoint | FilteredEndpoint | OnDemandEndpoint

/** Endpoints that cost credits. */
export type PremiumEndpoint = PreparedEndpoint | FilteredEndpoint | QueriedEndpoint

/** Whether calls cost credits. */
export const isPremium = (endpoint: Endpoint): endpoint is PremiumEndpoint => endpoint.tier === "premium"

/** Whether an endpoint serves what a view builds. */
export const isView = (endpoint: Endpoint): endpoint is ViewEndpoint => "cold" in endpoint

/** Text of the parameters' defaults, as `ttlMs` takes them. */
export const defaultParameters = ({ parameters }: Pick<Endpoint, "parameters">): Readonly<Record<string, string>> =>
  Object.fromEntries(
    Object.entries(parameters).flatMap(([name, parameter]) =>
      parameter.default === undefined ? [] : [[name, parameter.default]],
    ),
  )

/** How long a reply may be reused with the default parameters, in milliseconds; 0: not at all. */
export const defaultTtlMs = (endpoint: Endpoint): number =>
  endpoint.kind === "command" ? 0 : endpoint.ttlMs(defaultParameters(endpoint))
