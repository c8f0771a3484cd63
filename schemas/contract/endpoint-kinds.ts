import type * as Schema from "effect/Schema"
import type { FilterName } from "../change.ts"
import { type Feed, instanceKey, type Parameters } from "../feed.ts"
import type { Format } from "../formats/format.ts"
import type { Paging } from "../formats/paging.ts"
import type { RowObject, Table } from "../formats/table.ts"
import type { Deprecation } from "./deprecation.ts"
import type { FieldFacts } from "./fields.ts"
import type { Glance } from "./glance.ts"
import type { NoCharge } from "./no-charge.ts"
import type { ParameterSet, ParameterValues } from "./parameters.ts"
import type { Responses } from "./responses.ts"

/**
 * The share that a call counts against. `daily`: the client's share of a day, for free data. `minute`: the client's share of
 * a minute, for calls that must still work when the daily share is used up (catalog, documents, keys, refusals, errors).
 * `pages`: that of pages for people and of what they load, one of which takes a dozen requests.
 * `receipts`, `payments`, `confirms`, `changes` (histories too): separate shares of a minute, as such calls cost more. `token`: the share of
 * a minute of the bearer token. `never`: none, for monitors.
 */
export const countedWords = [
  "daily",
  "minute",
  "pages",
  "receipts",
  "payments",
  "confirms",
  "changes",
  "token",
  "never",
] as const
export type Counted = (typeof countedWords)[number]

/** Whether replies show the rest of the share (`RateLimit`). */
export const showsShare = (counted: Counted): boolean =>
  counted !== "payments" && counted !== "confirms" && counted !== "never"

/** The subjects by which people look for data, in the order of pages and catalogues. */
export const subjects = {
  earth: "Earth and weather",
  space: "Space",
  markets: "Markets and economy",
  infrastructure: "Infrastructure and security",
  technology: "Technology and play",
  world: "The world in brief",
  service: "This service",
} as const

/** The name of a subject. */
export type Subject = keyof typeof subjects

/** The names of all subjects, in their order. */
export const subjectNames = Object.keys(subjects) as ReadonlyArray<Subject>

/** The declaration that every kind of endpoint has. Routes, validation, catalog and OpenAPI are derived from it alone. */
export interface EndpointFacts<P extends ParameterSet, Data> {
  readonly _tag: "Endpoint"
  readonly path: string
  /** Stable identifier for programs: OpenAPI operation, tool name. Snake case. */
  readonly name: string
  readonly method: "GET" | "POST"
  readonly summary: string
  readonly description: string
  /** What the data is about; null for what serves no data. */
  readonly subject: Subject | null
  /** Whether a bearer token is read, and whether it is required. */
  readonly bearer: "none" | "optional" | "required"
  readonly parameters: P
  /** What is deprecated of it: itself or fields of its replies. Empty unless declared. */
  readonly deprecated: ReadonlyArray<Deprecation>
  /** Which share a call counts against. */
  readonly counted: Counted
  /** The possible responses by status: 200 and every refusal. */
  readonly responses: Responses
  /** The data of a reply; plain JSON, whose decoded and encoded forms are the same. */
  readonly data: Schema.Codec<Data, unknown>
  /** An example of `data`; a test decodes it. */
  readonly example: Data
}

/** Members of an endpoint whose replies may be reused for a time. */
interface Reusable {
  /** How long a reply may be reused, for the given parameters, in milliseconds; 0: not at all. */
  readonly ttlMs: (parameters: Readonly<Record<string, string>>) => number
}

/** How a list may be rendered beside whole JSON. */
export interface RenditionFacts extends FieldFacts {
  /** The formats of replies; JSON alone where the data is no table. */
  readonly formats: readonly [Format, ...ReadonlyArray<Format>]
  /** The table of the data; null where there is none. */
  readonly table: Table | null
  /** How the list is cut into pages; null where it is always whole. */
  readonly paging: Paging | null
}

/**
 * A feed whose changes of items are stated in the form of an endpoint's rows (`/api/changes`), each feed in that of one
 * endpoint. The members of `FilterName` name those of a row that filters read; `without` those that rows of changes leave out, as
 * they depend on the time or on other items; nothing unless given. `row` is the schema of a row that is neither one of the
 * endpoint's lists nor, where it has none, its whole data.
 */
export type ChangesFacts = {
  readonly feed: Feed
  readonly without?: ReadonlyArray<string>
  readonly row?: Schema.Top
  /** Names an item of a list feed in one line, as the pages do; with its key, and the parameters of its instance. */
  title?(item: RowObject, of: { readonly key: string; readonly parameters: Parameters }): string
} & {
  readonly [Name in FilterName]?: string
}

/** Members of an endpoint that serves a view of the processors. `Full` is the data that the view builds. */
export interface ViewFacts<P extends ParameterSet, Data, Full>
  extends EndpointFacts<P, Data>,
    Reusable,
    RenditionFacts {
  readonly kind: "prepared" | "filtered" | "on-demand"
  readonly method: "GET"
  /**
   * `data`: `{source, endpoint, updated_at, data, _meta}`. `composed`, `premium`: the members of the data stand beside
   * those of the envelope (schemas/contract/envelope.ts).
   */
  readonly envelope: "data" | "composed" | "premium"
  /**
   * The data of the reply while the view has none: null in a `data` envelope; else a value of the view's type whose members
   * are null where they are unknown.
   */
  readonly cold: Full | null
  /** What a glance at the view's data shows; null for what has no tile: premium views, and those without one value. */
  readonly glance: Glance<Full> | null
  /** The feeds whose changes are stated in its form; empty for premium views. */
  readonly changes: ReadonlyArray<ChangesFacts>
}

/** Members of an endpoint that may cost credits. */
interface Priced<Data> {
  readonly tier: "free" | "premium"
  /** Credits of a call; 0 for free endpoints. */
  readonly credits: number
  /** When a premium call is free of charge; empty for free endpoints. */
  readonly noCharge: ReadonlyArray<NoCharge<Data>>
}

/** Serves bytes that are prepared for a finite set of parameters. */
export interface PreparedEndpoint<P extends ParameterSet = ParameterSet, Data = unknown>
  extends ViewFacts<P, Data, Data>,
    Priced<Data> {
  readonly kind: "prepared"
  /** Whether its replies can be asked for as they were known at an earlier instant. */
  readonly keepsPast: boolean
  /** Whether the data is empty, which makes a premium call free of charge. */
  empty(data: Data): boolean
}

/** The part of a prepared view that a call receives. */
export interface Selection<Data = unknown> {
  readonly data: Data
  /**
   * Names of the view's inputs that the data is made of, including those that were never read: `_meta` and billing depend
   * on these alone.
   */
  readonly inputs: ReadonlyArray<string>
}

/** Why values that are right each by itself are refused with 400, together or now; `allowed`: those accepted, where few. */
export interface ParameterRefusal {
  readonly parameter: string
  readonly message: string
  readonly allowed?: ReadonlyArray<string>
}

/** A bounded filter over one prepared view. */
export interface FilteredEndpoint<P extends ParameterSet = ParameterSet, Data = unknown, Full = unknown>
  extends ViewFacts<P, Data, Full>,
    Priced<Full> {
  readonly kind: "filtered"
  /** As of a prepared endpoint. */
  readonly keepsPast: boolean
  /**
   * Selects the data of a reply from the view's data by the decoded parameters. Pure and without a clock. `withheld` names
   * the view's inputs whose data may not be resold here: what they would fill is null, with a note, and they are no inputs
   * of the selection.
   */
  select(full: Full, parameters: ParameterValues<P>, withheld: ReadonlySet<string>): Selection<Data>
  /** Refuses values by the time of the request, before anything is charged; null accepts them. Premium endpoints only. */
  refuse(parameters: ParameterValues<P>, nowMs: number): ParameterRefusal | null
  /**
   * Whether a selection is empty. A premium call is then free of charge; replies of a free endpoint with equal empty data
   * share their bytes, so empty data should not repeat the parameters.
   */
  empty(data: Data): boolean
}

/** Fetches from the upstream for the parameters where there is no recent data. */
export interface OnDemandEndpoint<P extends ParameterSet = ParameterSet, Data = unknown>
  extends ViewFacts<P, Data, Data> {
  readonly kind: "on-demand"
  readonly tier: "free"
  /** The parameter sets whose replies stand ready as those of a prepared endpoint: they are never fetched on request. */
  readonly prepared: ReadonlyArray<Parameters>
  /** Whether its view reads an unlogged feed: replies are private to their caller, and forgotten after a day at most. */
  readonly unlogged: boolean
}

/** Reads the history for the parameters. */
export interface QueriedEndpoint<P extends ParameterSet = ParameterSet, Data = unknown>
  extends EndpointFacts<P, Data>,
    Reusable,
    FieldFacts,
    Priced<Data> {
  readonly kind: "queried"
  readonly method: "GET"
  readonly tier: "premium"
  readonly envelope: "premium"
}

/** Serves facts of the service itself, the same for every caller. */
export interface DocumentEndpoint<P extends ParameterSet = ParameterSet, Data = unknown>
  extends EndpointFacts<P, Data>,
    Reusable {
  readonly kind: "document"
  readonly method: "GET"
  readonly tier: "service" | "payment"
  /** As of a prepared endpoint. */
  readonly keepsPast: boolean
  /** Media types of its body; the first is sent unless the client prefers another. A body that is not JSON is a text. */
  readonly mediaTypes: readonly [string, ...ReadonlyArray<string>]
}

/** The JSON body of a request, and an example that decodes. */
export interface RequestBody<A = unknown> {
  readonly schema: Schema.Codec<A, unknown>
  readonly example: A
  /** Whether a request without a body is valid. */
  readonly optional?: boolean
}

/** Performs an action for one caller, by the body or the token of the request. Its replies are `no-store`. */
export interface CommandEndpoint<P extends ParameterSet = ParameterSet, Data = unknown> extends EndpointFacts<P, Data> {
  readonly kind: "command"
  readonly tier: "service" | "payment"
  /** The body of a POST; null for a GET, which reads the token alone. */
  readonly body: RequestBody | null
}

/** Serves the changes of items behind a cursor, to every caller: a page of them, or each as it happens. */
export interface ChangesEndpoint<P extends ParameterSet = ParameterSet, Data = unknown> extends EndpointFacts<P, Data> {
  readonly kind: "changes"
  readonly method: "GET"
  readonly tier: "service"
  readonly form: "page" | "stream"
  readonly mediaTypes: readonly [string]
}

/**
 * Serves the changes of an endpoint's feeds by the time at which they happened, from the history. It is made of that endpoint:
 * see schemas/contract/item-history.ts.
 */
export interface HistoryEndpoint<P extends ParameterSet = ParameterSet, Data = unknown>
  extends EndpointFacts<P, Data>,
    RenditionFacts {
  readonly kind: "history"
  readonly method: "GET"
  readonly tier: "service"
  /** The endpoint whose rows the items are. */
  readonly of: ViewEndpoint
}

/**
 * An endpoint of any kind. Members that are generic over its types (`select`, `empty`, `when`) are methods, whose
 * parameters TypeScript compares bivariantly, so that a list holds endpoints of any data without a cast.
 */
export type Endpoint =
  | PreparedEndpoint
  | FilteredEndpoint
  | OnDemandEndpoint
  | QueriedEndpoint
  | DocumentEndpoint
  | CommandEndpoint
  | ChangesEndpoint
  | HistoryEndpoint

/** An endpoint whose reply is its data alone: of the service itself, and histories. */
export type ServiceEndpoint = DocumentEndpoint | CommandEndpoint | ChangesEndpoint | HistoryEndpoint

/** The ways in which endpoints make their replies. */
export const endpointKinds = [
  "prepared",
  "filtered",
  "on-demand",
  "queried",
  "document",
  "command",
  "changes",
  "history",
] as const

/** Endpoints that serve a view of the processors. */
export type ViewEndpoint = PreparedEndpoint | FilteredEndpoint | OnDemandEndpoint

/** Endpoints that cost credits. */
export type PremiumEndpoint = PreparedEndpoint | FilteredEndpoint | QueriedEndpoint

/** Whether calls cost credits. */
export const isPremium = (endpoint: Endpoint): endpoint is PremiumEndpoint => endpoint.tier === "premium"

/** Whether an endpoint serves a view of the processors. */
export const isView = (endpoint: Endpoint): endpoint is ViewEndpoint => "cold" in endpoint

/** Whether an endpoint belongs to the service itself or to another endpoint, and serves no data of a feed of its own. */
export const isOfService = (endpoint: Endpoint): endpoint is ServiceEndpoint =>
  endpoint.tier === "service" || endpoint.tier === "payment"

/** Whether the reply of a view's key stands ready, instead of being fetched on request. */
export const standsReady = (endpoint: ViewEndpoint, key: string): boolean =>
  endpoint.kind !== "on-demand" ||
  endpoint.prepared.some((parameters) => instanceKey(endpoint.path, parameters) === key)

/** The texts of the parameters' defaults. */
export const defaultParameters = ({ parameters }: Pick<Endpoint, "parameters">): Readonly<Record<string, string>> =>
  Object.fromEntries(
    Object.entries(parameters).flatMap(([name, parameter]) =>
      parameter.default === undefined ? [] : [[name, parameter.default]],
    ),
  )

/** How long a reply may be reused with the default parameters, in milliseconds; 0: not at all. */
export const defaultTtlMs = (endpoint: Endpoint): number =>
  "ttlMs" in endpoint ? endpoint.ttlMs(defaultParameters(endpoint)) : 0

/** Methods of an endpoint, without OPTIONS. A premium endpoint has no HEAD, as a call is charged for its body. */
export const methodsOf = ({ method, tier }: Endpoint): ReadonlyArray<"GET" | "HEAD" | "POST"> =>
  method === "GET" && tier !== "premium" ? ["GET", "HEAD"] : [method]
