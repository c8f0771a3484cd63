import * as Schema from "effect/Schema"
import { StatedChanges, statedChanges } from "../contract/changes.ts"
import { countedWords, defaultTtlMs, type Endpoint, endpointKinds, isPremium } from "../contract/endpoint-kinds.ts"
import { historyOf } from "../contract/item-history.ts"
import { allowedWords } from "../contract/parameters.ts"
import { type AttributionByPath, AttributionEntry, type WithheldByPath } from "../contract/provenance.ts"
import { SIGNUP_PATH } from "../contract/refusal.ts"
import { mediaTypesOf, queryParameters } from "../contract/renditions.ts"
import { SERVICE_SOURCE } from "../contract/reply.ts"

/** Version of the contract, not of the software. */
export const CONTRACT_VERSION = "1.17.0"

const CatalogParameter = Schema.Struct({
  name: Schema.NonEmptyString,
  description: Schema.String,
  required: Schema.Boolean,
  unit: Schema.NullOr(Schema.String),
  default: Schema.NullOr(Schema.String),
  allowed: Schema.NullOr(Schema.Array(Schema.String)),
  example: Schema.String,
  for_agents: Schema.Boolean.annotate({
    description: "False: left out of tool definitions, as its replies would harm a program that acts on them by itself",
  }),
})

const CatalogDeprecation = Schema.Struct({
  since: Schema.NonEmptyString.annotate({ description: "Day of the notice" }),
  until: Schema.NonEmptyString.annotate({ description: "Day from which on it may be gone" }),
  note: Schema.String,
  field: Schema.optionalKey(
    Schema.NonEmptyString.annotate({ description: "The deprecated field; absent for the whole endpoint" }),
  ),
  successor: Schema.optionalKey(Schema.NonEmptyString.annotate({ description: "Path of what replaces it" })),
})

const CatalogEntry = Schema.Struct({
  path: Schema.NonEmptyString,
  name: Schema.NonEmptyString,
  method: Schema.Literals(["GET", "POST"]),
  tier: Schema.Literals(["free", "premium", "payment", "service"]),
  kind: Schema.Literals(endpointKinds),
  media_types: Schema.Array(Schema.NonEmptyString).annotate({ description: "Media types of a reply" }),
  counted: Schema.Literals(countedWords).annotate({
    description:
      "The share that a call counts against. daily: the client's share of a day for free data; minute, receipts, payments, confirms, changes: shares of the client for a minute; token: the token's share of a minute; never: none",
  }),
  credits: Schema.Natural.annotate({ description: "Credits a call costs" }),
  cache_seconds: Schema.Natural.annotate({ description: "For how long a reply may be reused, in seconds" }),
  summary: Schema.String,
  description: Schema.String,
  parameters: Schema.Array(CatalogParameter),
  bearer: Schema.Literals(["none", "optional", "required"]).annotate({
    description: "Whether a token is read (Authorization: Bearer)",
  }),
  no_charge: Schema.Array(
    Schema.Struct({
      reason: Schema.NonEmptyString,
      description: Schema.String,
      decided: Schema.Literals(["before", "after"]).annotate({
        description: "before: the call needs no credits; after: it needs them, and they are refunded",
      }),
    }),
  ).annotate({ description: "When a premium call is free of charge" }),
  withheld_feeds: Schema.Array(Schema.NonEmptyString).annotate({
    description:
      "Feeds whose data is left out of these premium replies, as the terms of a source are not known to allow selling it: notes say where. Where nothing else was requested, the call is free of charge (not_licensed)",
  }),
  deprecated: Schema.Array(CatalogDeprecation).annotate({ description: "What of it will be removed" }),
  changes: Schema.Array(StatedChanges).annotate({
    description: "The feeds whose changes /api/changes and /api/stream state as rows of this endpoint",
  }),
  history: Schema.NullOr(Schema.NonEmptyString).annotate({
    description:
      "Path of the endpoint that serves its past: what changed of its items, by event time; null where none does",
  }),
  attribution: Schema.Array(AttributionEntry),
})

/** The machine-readable list of all endpoints. */
export const Catalog = Schema.Struct({
  service: Schema.NonEmptyString,
  contract_version: Schema.NonEmptyString,
  version: Schema.NonEmptyString.annotate({ description: "Version of the software" }),
  base_url: Schema.NullOr(Schema.String).annotate({
    description: "Null: the address under which the catalog was requested",
  }),
  openapi: Schema.NonEmptyString,
  signup: Schema.NonEmptyString.annotate({ description: "Address of the page that explains how credits are bought" }),
  endpoints: Schema.Array(CatalogEntry),
})
export type Catalog = typeof Catalog.Type

/** Builds the catalog from the contract. `baseUrl` is the public address without a trailing slash, where known. */
export const buildCatalog = (options: {
  readonly endpoints: ReadonlyArray<Endpoint>
  readonly attribution: AttributionByPath
  /** What is withheld from premium replies; nothing by default. */
  readonly withheld?: WithheldByPath
  readonly version: string
  readonly baseUrl: string | null
}): Catalog => ({
  service: SERVICE_SOURCE,
  contract_version: CONTRACT_VERSION,
  version: options.version,
  base_url: options.baseUrl,
  openapi: `${options.baseUrl ?? ""}/openapi.json`,
  signup: `${options.baseUrl ?? ""}${SIGNUP_PATH}`,
  endpoints: options.endpoints.map((endpoint) => ({
    path: endpoint.path,
    name: endpoint.name,
    method: endpoint.method,
    tier: endpoint.tier,
    kind: endpoint.kind,
    media_types: mediaTypesOf(endpoint),
    counted: endpoint.counted,
    credits: isPremium(endpoint) ? endpoint.credits : 0,
    cache_seconds: Math.floor(defaultTtlMs(endpoint) / 1000),
    summary: endpoint.summary,
    description: endpoint.description,
    parameters: Object.entries(queryParameters(endpoint)).map(([name, parameter]) => ({
      name,
      description: parameter.description,
      required: parameter.default === undefined && parameter.optional !== true,
      unit: parameter.unit ?? null,
      default: parameter.default ?? null,
      allowed: allowedWords(parameter.schema),
      example: parameter.example,
      for_agents: parameter.forAgents !== false,
    })),
    bearer: endpoint.bearer,
    no_charge: (isPremium(endpoint) ? endpoint.noCharge : []).map(({ reason, description, decided }) => ({
      reason,
      description,
      decided,
    })),
    withheld_feeds: options.withheld?.get(endpoint.path)?.feeds ?? [],
    deprecated: endpoint.deprecated,
    changes: statedChanges(endpoint),
    history: historyOf(endpoint, options.endpoints)?.path ?? null,
    attribution: options.attribution.get(endpoint.path) ?? [],
  })),
})
