import * as Schema from "effect/Schema"
import { endpoint } from "../contract/endpoint.ts"

/** Liveness, version and uptime of the service. */
export const healthEndpoint = endpoint({
  path: "/api/health",
  name: "health",
  kind: "document",
  tier: "service",
  counted: "never",
  ttl: 0,
  summary: "Whether the service answers",
  description: "Does not count against the daily limit.",
  parameters: {},
  data: Schema.Struct({
    status: Schema.Literal("ok"),
    version: Schema.NonEmptyString.annotate({ description: "Version of the software" }),
    uptime: Schema.Natural.annotate({ description: "Seconds since the process started" }),
    ts: Schema.Natural.annotate({ description: "The service's time, milliseconds since the epoch" }),
  }),
  example: { status: "ok", version: "0.1.0", uptime: 86_400, ts: 1_787_000_000_000 },
})
