import { Schema } from "effect"
import { eventType, Instant } from "../event.ts"

/** What kind of program asked, judged from its User-Agent against a closed list; the text itself is kept nowhere. */
export const ClientClass = Schema.Literals(["ai_agent", "browser", "crawler", "library", "monitor", "other", "none"])
export type ClientClass = typeof ClientClass.Type

/** How often one kind of client asked one endpoint. */
export const UsageCount = Schema.Struct({
  /** Name of the endpoint; `unknown` for paths that do not exist. */
  endpoint: Schema.NonEmptyString,
  client: ClientClass,
  /** Which well-known AI agent it was, from a closed list; null for everybody else. */
  agent: Schema.NullOr(Schema.NonEmptyString),
  requests: Schema.Natural,
  /** Of these, answered with a status from 400 on. */
  refused: Schema.Natural,
  /** Body bytes sent. */
  bytes: Schema.Natural,
})
export type UsageCount = typeof UsageCount.Type

/** An API process says what it served in a span of time. It is written at least once: (instance, sequence) tells repetitions. */
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
