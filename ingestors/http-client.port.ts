import { type Effect, Schema } from "effect"
import { FailureReason } from "../schemas/events/observations.ts"

/** A request that reads from an upstream. `url` is the provider's real address; a setting may send it elsewhere. */
export interface HttpRequest {
  readonly url: string
  readonly headers?: Readonly<Record<string, string>>
  /** JSON text that is sent by POST, for upstreams that take their query as a body; absent: a GET. */
  readonly body?: string
  /** For one attempt, from its first byte out to its last byte in. */
  readonly timeoutMs: number
  /** For everything: waiting for a turn, all attempts and the pauses between them. By default what they need at most. */
  readonly budgetMs?: number
  /** Of the body as it comes and as it is once unpacked. */
  readonly bodyBytesMax: number
  /** Makes what looks at each piece of the unpacked body as it comes: a problem that it names ends the reading. */
  readonly inspect?: () => BodyInspector
  /** Tried again this often, with backoff and jitter, on what may pass: timeouts, refused connections, 5xx, 429. */
  readonly retriesMax: number
  /** Make a GET conditional. */
  readonly validators?: HttpValidators
  /** Statuses besides 200 whose body is the answer, such as a 404 that says "not found" in a form of its own. */
  readonly acceptedStatuses?: ReadonlyArray<number>
  /**
   * Called before each request that is sent, retries and redirects included. Null admits it; else the request fails with
   * `budget_exhausted`, and the number is the milliseconds after which one will be admitted.
   */
  readonly admit?: () => number | null
}

/** Why a body is refused that begins with the pieces seen so far, or null. */
export type BodyInspector = (piece: Uint8Array) => string | null

/** What makes the next request conditional. */
export interface HttpValidators {
  readonly etag?: string
  readonly lastModified?: string
}

/** A whole answer, with status 200 or one that was accepted. */
export interface HttpResponse {
  readonly _tag: "Fetched"
  readonly status: number
  readonly body: Uint8Array
  /** Gives back the body's share of what all bodies together may hold: to be called when it has been decoded. */
  readonly release?: () => void
  readonly contentType: string | null
  readonly validators: HttpValidators
  readonly latencyMs: number
}

/** An answer with status 200 that the request's `inspect` has refused before it was whole. */
export interface HttpRefused {
  readonly _tag: "Refused"
  readonly problem: string
  /** The first piece of the body. */
  readonly start: Uint8Array
  /** Bytes that had come. */
  readonly bodyBytes: number
}

/** The upstream says that nothing has changed (304). */
export interface HttpNotModified {
  readonly _tag: "NotModified"
  readonly latencyMs: number
}

/** No usable answer: why, in the closed set that events and replies use, and one sentence for people. */
export class HttpFailed extends Schema.TaggedError<HttpFailed>()("HttpFailed", {
  reason: FailureReason,
  host: Schema.String,
  status: Schema.NullOr(Schema.Int),
  /** When the upstream named a time, how long it asked us to stay away. */
  retryAfterMs: Schema.NullOr(Schema.Natural),
  /** Never a URL: some hold keys. */
  message: Schema.String,
}) {}

/** How long one round trip to a target took. */
export interface HttpProbe {
  readonly latencyMs: number
}

/** What one host is asked at most: in any period of `intervalMs`, and at the same time. */
export interface HostPace {
  readonly requestsMax: number
  readonly intervalMs: number
  readonly concurrencyMax: number
}

/** Outbound HTTP to fixed hosts: timeouts, bounded bodies, same-host redirects, per-host pace and circuit. */
export interface HttpClient {
  readonly fetch: (request: HttpRequest) => Effect.Effect<HttpResponse | HttpRefused | HttpNotModified, HttpFailed>
  /** One HEAD request on a fresh connection, any status taken as an answer: how far away a place is. */
  readonly probe: (url: string, timeoutMs: number) => Effect.Effect<HttpProbe, HttpFailed>
}
