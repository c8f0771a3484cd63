import * as Schema from "effect/Schema"
import { endpoint } from "../contract/endpoint.ts"

const Target = Schema.Struct({
  href: Schema.NonEmptyString,
  type: Schema.optionalKey(Schema.NonEmptyString),
  title: Schema.optionalKey(Schema.NonEmptyString),
})
const Targets = Schema.Array(Target)

/** The links of this API as a linkset (RFC 9727, RFC 9264). */
export const apiCatalogEndpoint = endpoint({
  path: "/.well-known/api-catalog",
  name: "api_catalog",
  kind: "document",
  tier: "service",
  ttl: "1 hour",
  mediaTypes: ["application/linkset+json"],
  hasLinks: true,
  summary: "Links to what describes this service, as a linkset (RFC 9727)",
  description: "Where the contract, the documents, the health and the price list of this service are.",
  parameters: {},
  data: Schema.Struct({
    linkset: Schema.Array(
      Schema.Struct({
        anchor: Schema.NonEmptyString.annotate({ description: "The address that the links are about" }),
        item: Schema.optionalKey(Targets),
        "service-desc": Schema.optionalKey(Targets),
        "service-doc": Schema.optionalKey(Targets),
        "service-meta": Schema.optionalKey(Targets),
        status: Schema.optionalKey(Targets),
      }),
    ),
  }),
  example: {
    linkset: [
      { anchor: "/.well-known/api-catalog", item: [{ href: "/api", title: "Tidewire" }] },
      {
        anchor: "/api",
        "service-desc": [{ href: "/openapi.json", type: "application/json" }],
        "service-doc": [{ href: "/llms.txt", type: "text/plain" }],
        status: [{ href: "/api/health", type: "application/json" }],
      },
    ],
  },
})
