import { Duration, Schema } from "effect"

/**
 * A query parameter: how its text decodes, what stands in when it is absent, and words for the documentation.
 * A required parameter has neither `default` nor `optional`.
 */
export interface Parameter<A = unknown> {
  readonly schema: Schema.Codec<A, string>
  readonly description: string
  readonly unit?: string
  /** The text used when the parameter is absent. */
  readonly default?: string
  /** Absent is an answer of its own. */
  readonly optional?: boolean
  /** What a wrong value does: refuse with 400 (the rule), or let the defaults of ALL parameters apply. */
  readonly whenWrong?: "refuse" | "defaults"
  /** Error code of the 400 for a wrong value; `invalid_parameter` unless told. */
  readonly errorCode?: string
  readonly example: string
}

export type ParameterSet = Readonly<Record<string, Parameter>>

/** The decoded values of a parameter set, as a handler or a view gets them. */
export type ParameterValues<P extends ParameterSet> = {
  readonly [Name in keyof P]: P[Name] extends Parameter<infer A>
    ? P[Name] extends { optional: true }
      ? A | undefined
      : A
    : never
}

/**
 * How an endpoint gets its answer. `prepared`: bytes that stand ready for a finite set of parameters. `filtered`: a
 * bounded filter (`select`) over one prepared view. `onDemand`: fetched for the parameters when nobody has asked lately.
 * `queried`: asked of the history for the parameters. `service`: the service's own facts and acts.
 */
export type EndpointKind = "prepared" | "filtered" | "onDemand" | "queried" | "service"

/** A JSON body that a request brings, and an example that decodes. */
export interface RequestBody<A = unknown> {
  readonly schema: Schema.Codec<A, unknown>
  readonly example: A
  /** Whether the request may come without one. */
  readonly optional?: boolean
}

/** When a premium call is free of charge: published, and told in the reply. */
export interface NoCharge<Full = unknown> {
  readonly reason: string
  readonly description: string
  /**
   * Decided `before` a debit, from the prepared data, and served at balance 0; or `after` it, by what came of the call,
   * which needs the balance and gives it back.
   */
  readonly decided: "before" | "after"
  /** For `before`: whether it holds for the prepared data. Conditions that hold for every endpoint have none. */
  readonly when?: (full: Full, nowMs: number) => boolean
}

/** There is no data yet: a reply that says so, with `_meta.warming`, is free of charge. */
export const WARMING = "warming"
/** No feed of this installation fills what was asked for. */
export const NO_DATA = "no_data"
/** Every source of the reply is stale beyond its promise. */
export const STALE_SOURCES = "stale_sources"
/** The queried range holds nothing. */
export const EMPTY_RANGE = "empty_range"
/** Our own 5xx. */
export const INTERNAL_ERROR = "internal_error"

/** The client has gone. */
export const CLIENT_GONE = "client_gone"

const ofViews: ReadonlyArray<NoCharge> = [
  { reason: WARMING, description: "There is no data yet, in any part that was asked for.", decided: "before" },
  {
    reason: STALE_SOURCES,
    description: "Every source of what was asked for is stale beyond its promise (_meta.sources).",
    decided: "before",
  },
]
const ofSelections: ReadonlyArray<NoCharge> = [
  { reason: NO_DATA, description: "No feed fills any part that was asked for.", decided: "before" },
]
const ofQueries: ReadonlyArray<NoCharge> = [
  { reason: EMPTY_RANGE, description: "The range that was asked for holds nothing.", decided: "after" },
]
const ofAll: ReadonlyArray<NoCharge> = [
  {
    reason: CLIENT_GONE,
    description:
      "The connection was closed before the reply was ready, and no Idempotency-Key waits for it. At most 100 such calls and empty ranges of an account are free of charge in a day (UTC).",
    decided: "after",
  },
  { reason: INTERNAL_ERROR, description: "The service fails to answer (5xx).", decided: "after" },
]

/** Every condition of a premium endpoint: its own ones, and those that hold for all of its kind. */
const allNoCharge = <Full>(kind: EndpointKind, own: ReadonlyArray<NoCharge<Full>>): ReadonlyArray<NoCharge<Full>> => [
  ...own,
  ...[...(kind === "queried" ? ofQueries : ofViews), ...(kind === "filtered" ? ofSelections : []), ...ofAll].filter(
    ({ reason }) => !own.some((one) => one.reason === reason),
  ),
]

/** What a call is given of a prepared view. */
export interface Selection<Data = unknown> {
  readonly data: Data
  /**
   * Names of the view's inputs that the data is made of, those that have no reading yet included: billing and `_meta`
   * speak of these alone.
   */
  readonly inputs: ReadonlyArray<string>
  /** No member holds data: the reply is free of charge. */
  readonly empty: boolean
}

/** One endpoint: the single place that says what it is. Routes, validation, catalog and OpenAPI come from it. */
export interface Endpoint<P extends ParameterSet = ParameterSet, Data = unknown, Full = Data> {
  readonly _tag: "Endpoint"
  readonly path: string
  /** Stable identifier for programs: OpenAPI operation, tool name. Snake case. */
  readonly name: string
  readonly method: "GET" | "POST"
  readonly kind: EndpointKind
  readonly tier: "free" | "premium" | "payment" | "service"
  readonly credits: number
  /** How long a reply may be reused, for the given parameters, in milliseconds. */
  readonly ttlMs: (parameters: Readonly<Record<string, string>>) => number
  readonly summary: string
  readonly description: string
  /** Whether a bearer token is read, and whether there is an answer without one. */
  readonly bearer: "none" | "optional" | "required"
  readonly parameters: P
  /** The body of a POST; null where none is read. */
  readonly body: RequestBody | null
  /** What stands in the reply: the `data` member (`envelope: "data"`), or the whole body (`envelope: "none"`), beside `_meta`. */
  readonly data: Schema.Codec<Data, unknown>
  /** `filtered`: makes the data of a reply of the prepared view's, for the decoded parameters. Null for other kinds. */
  readonly select: ((full: Full, parameters: ParameterValues<P>) => Selection<Data>) | null
  /** Of a premium endpoint, those that hold for every one of its kind included. */
  readonly noCharge: ReadonlyArray<NoCharge<Full>>
  /**
   * What stands there while nothing was ever filled: null in a `data` envelope; else a value of the same schema (of a
   * `filtered` endpoint, what is selected from), whose members are null wherever nothing is known.
   */
  readonly cold: Data | Full | null
  /**
   * `data`: `{source, endpoint, updated_at, data, _meta}`. `composed`: the members of `data` stand beside
   * `{source, generated_at, _meta}`. `premium`: beside `{source, endpoint, generated_at, billing, receipt, _meta}`.
   * `none`: `data` is the body.
   */
  readonly envelope: "data" | "composed" | "premium" | "none"
  /** An example of `data`; a test decodes it. */
  readonly example: Data
}

/** Declares an endpoint. Its data is plain JSON: decoded and encoded forms are the same. */
export const endpoint = <const P extends ParameterSet, Data, Full = Data>(definition: {
  readonly path: string
  readonly name: string
  readonly method?: "GET" | "POST"
  readonly kind: EndpointKind
  readonly tier: Endpoint["tier"]
  readonly credits?: number
  readonly ttl: Duration.Input | ((parameters: Readonly<Record<string, string>>) => Duration.Input)
  readonly summary: string
  readonly description: string
  /** `required` for the premium tier, else `none`, unless told. */
  readonly bearer?: Endpoint["bearer"]
  readonly parameters: P
  readonly body?: RequestBody
  readonly data: Schema.Codec<Data, unknown>
  readonly select?: (full: Full, parameters: ParameterValues<P>) => Selection<NoInfer<Data>>
  readonly noCharge?: ReadonlyArray<NoCharge<Full>>
  /** Needed where the data stands beside its envelope, and may not be there yet. */
  readonly cold?: NoInfer<Data> | NoInfer<Full>
  readonly envelope?: Endpoint["envelope"]
  readonly example: NoInfer<Data>
}): Endpoint<P, Data, Full> => {
  const { ttl, cold = null } = definition
  const envelope = definition.envelope ?? (definition.tier === "premium" ? "premium" : "data")
  const mayBeCold = definition.kind !== "service" && definition.kind !== "queried" && envelope !== "data"
  if (mayBeCold !== (cold !== null))
    throw new TypeError(`${definition.path}: ${mayBeCold ? "declare" : "leave out"} \`cold\``)
  return {
    _tag: "Endpoint",
    path: definition.path,
    name: definition.name,
    method: definition.method ?? "GET",
    kind: definition.kind,
    tier: definition.tier,
    credits: definition.credits ?? 0,
    ttlMs: (parameters) => Duration.toMillis(typeof ttl === "function" ? ttl(parameters) : ttl),
    summary: definition.summary,
    description: definition.description,
    bearer: definition.bearer ?? (definition.tier === "premium" ? "required" : "none"),
    parameters: definition.parameters,
    body: definition.body ?? null,
    data: definition.data,
    select: definition.select ?? null,
    noCharge:
      definition.tier === "premium"
        ? allNoCharge(definition.kind, definition.noCharge ?? [])
        : (definition.noCharge ?? []),
    cold,
    envelope,
    example: definition.example,
  }
}

/** A parameter whose text is one of a few words. */
export const choice = <const Words extends ReadonlyArray<string>>(
  words: Words,
  rest: Omit<Parameter, "schema" | "example"> & { readonly example?: Words[number] },
): Parameter<Words[number]> => ({
  schema: Schema.Literals(words),
  example: rest.example ?? rest.default ?? words[0] ?? "",
  ...rest,
})
