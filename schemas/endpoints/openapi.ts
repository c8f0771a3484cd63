import * as Schema from "effect/Schema"
import { endpoint } from "../contract/endpoint.ts"

/** The contract as an OpenAPI 3.1 document. */
export const openApiEndpoint = endpoint({
  path: "/openapi.json",
  name: "openapi",
  kind: "document",
  tier: "service",
  ttl: "1 hour",
  summary: "This contract as an OpenAPI 3.1 document",
  description: "Made from the same values as the routes and the validation.",
  parameters: {},
  data: Schema.Struct({
    openapi: Schema.NonEmptyString,
    info: Schema.Struct({ title: Schema.NonEmptyString, version: Schema.NonEmptyString }),
    paths: Schema.Record(Schema.String, Schema.Json),
    components: Schema.optionalKey(Schema.Json),
  }),
  example: { openapi: "3.1.1", info: { title: "Tidewire", version: "1.15.0" }, paths: {} },
})
