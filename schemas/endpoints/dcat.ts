import * as Schema from "effect/Schema"
import { endpoint } from "../contract/endpoint.ts"
import { dcatCatalogue } from "../printers/datasets.ts"
import { openApiEndpoint } from "./openapi.ts"

/** The media type of JSON-LD. */
export const JSON_LD_TYPE = "application/ld+json"

/** Where catalogues of data elsewhere look for it first. */
const PATH = "/catalog.jsonld"

const Node = Schema.Record(Schema.String, Schema.Json)

/** The datasets of this service as a DCAT 3 catalogue. */
export const dcatEndpoint = endpoint({
  path: PATH,
  name: "dcat",
  kind: "document",
  tier: "service",
  ttl: "1 hour",
  mediaTypes: [JSON_LD_TYPE],
  summary: "The datasets of this service as a DCAT 3 catalogue in JSON-LD",
  description:
    "Each endpoint of data is a dcat:Dataset with its distributions, licences, cadence and page, for portals of open data. Addresses are relative to that of the document where the public address is not configured.",
  parameters: {},
  data: Schema.Struct({
    "@context": Node,
    "@id": Schema.String,
    "@type": Schema.Literal("dcat:Catalog"),
    "dct:title": Schema.NonEmptyString,
    "dct:description": Schema.NonEmptyString,
    "dct:publisher": Node,
    "dcat:themeTaxonomy": Node,
    "dcat:service": Schema.Array(Node),
    "dcat:dataset": Schema.Array(Node),
  }),
  example: dcatCatalogue({
    endpoints: [],
    address: "https://tidewire.example",
    paths: { self: PATH, openApi: openApiEndpoint.path },
    upstreamsOf: () => [],
  }),
})
