import * as Schema from "effect/Schema"
import { endpoint } from "../contract/endpoint.ts"

/** The changes as an AsyncAPI 3 document. */
export const asyncApiEndpoint = endpoint({
  path: "/asyncapi.json",
  name: "asyncapi",
  kind: "document",
  tier: "service",
  ttl: "1 hour",
  summary: "The stream and the pages of changes as an AsyncAPI 3 document",
  description: "Made from the same values as their routes and their validation.",
  parameters: {},
  data: Schema.Struct({
    asyncapi: Schema.NonEmptyString,
    info: Schema.Struct({ title: Schema.NonEmptyString, version: Schema.NonEmptyString }),
    channels: Schema.Record(Schema.String, Schema.Json),
    operations: Schema.Record(Schema.String, Schema.Json),
    components: Schema.Json,
  }),
  example: {
    asyncapi: "3.0.0",
    info: { title: "Tidewire", version: "1.15.0" },
    channels: {},
    operations: {},
    components: {},
  },
})
