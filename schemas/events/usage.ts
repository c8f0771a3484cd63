import * as Schema from "effect/Schema"
import { eventType, Instant } from "../event.ts"

/**
 * The kind of client program, classified from its User-Agent against a closed list; the text itself is not stored. `mcp`:
 * a tool of this service's MCP servers, whose own request is counted as a request to them.
 */
export const ClientClass = Schema.Literals([
  "ai_agent",
  "browser",
  "crawler",
  "library",
  "mcp",
  "monitor",
  "other",
  "none",
])
export type ClientClass = typeof ClientClass.Type

/** The requests of one kind of client to one endpoint. */
export const UsageCount = Schema.Struct({
  /** Name of the endpoint; `unknown` for paths that do not exist. */
  endpoint: Schema.NonEmptyString,
  client: ClientClass,
  /** Which well-known AI agent it was, from a closed list; null for other clients. */
  agent: Schema.NullOr(Schema.NonEmptyString),
  requests: Schema.Natural,
  /** Of these, answered with a status from 400 on. */
  refused: Schema.Natural,
  /** Body bytes sent. */
  bytes: Schema.Natural,
})
export type UsageCount = typeof UsageCount.Type

/** The requests that an API process served in a span of time. Written at least once; (instance, sequence) identifies duplicates. */
export const usageCounted = eventType({
  type: "usage.counted",
  topic: "usage",
  version: 1,
  description: "What one API process served in a span of time, by endpoint and kind of client.",
  data: Schema.Struct({
    /** Random name of the process's life. */
    instance: Schema.NonEmptyString,
    /** Counts up from 0 within an instance; a repeated number is the same batch again. */
    sequence: Schema.Natural,
    from: Instant,
    to: Instant,
    counts: Schema.Array(UsageCount),
  }),
})
