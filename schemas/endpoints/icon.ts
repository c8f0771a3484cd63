import * as Schema from "effect/Schema"
import { endpoint } from "../contract/endpoint.ts"

/** The icon of the service's pages. */
export const iconEndpoint = endpoint({
  path: "/favicon.svg",
  name: "icon",
  kind: "document",
  tier: "service",
  ttl: "1 day",
  mediaTypes: ["image/svg+xml"],
  summary: "The icon of the service",
  description: "Three waves, in the accent of the pages.",
  parameters: {},
  data: Schema.String,
  example: '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32"/>\n',
})
