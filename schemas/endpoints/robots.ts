import * as Schema from "effect/Schema"
import { endpoint } from "../contract/endpoint.ts"

/** What crawlers may read (RFC 9309). */
export const robotsEndpoint = endpoint({
  path: "/robots.txt",
  name: "robots",
  kind: "document",
  tier: "service",
  ttl: "1 hour",
  mediaTypes: ["text/plain"],
  summary: "What crawlers may read (RFC 9309)",
  description: "Everything but what costs credits and what acts for one caller.",
  parameters: {},
  data: Schema.String,
  example: "User-agent: *\nDisallow: /api/pro/briefing\nAllow: /\n",
})
