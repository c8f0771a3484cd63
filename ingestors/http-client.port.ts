import { type Effect, Schema } from "effect"
import { FailureReason } from "../schemas/events/observations.ts"

/** A GET to an upstream. `url` is the provider's real address; a setting may send it elsewhere. */
export interface HttpRequest {
  readonly url: string
  readonly headers?: Readonly<Record<string, string>>
  /** For one attempt, from its first byte out to its last byte in. */
  readonly timeoutMs: number
  /** For everything: waiting for a turn, all attempts and the pauses between them. Unless told, what they need at most. */
  readonly budgetMs?: number
  /** Of the body as it comes and as it is once unpacked. */
  readonly bodyBytesMax: number
  /** Makes what looks at each piece of the unpacked body as it comes: a problem that it names ends the reading. */
  readonly inspect?: () => BodyInspector
  /** Tried again this often, with backoff and jitter, on what may pass: timeouts, refused connections, 5xx, 429. */
  readonly retriesMax: number
  readonly validators?: HttpValidators
}

/** Why a body is refused that begins with the pieces seen so far, or null. */
export type BodyInspector = (piece: Uint8Array) => string | null

/** What makes the next request conditional. */
export interface HttpValidators {
  readonly etag?: string
  readonly lastModified?: string
}

/** An answer with status 200, whole. */
export interface HttpResponse {
  readonly _tag: "Fetched"
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

/** Outbound HTTP to fixed hosts: timeouts, bounded bodies, same-host redirects, per-host concurrency, rate and circuit. */
export interface HttpClient {
  readonly get: (request: HttpRequest) => Effect.Effect<HttpResponse | HttpRefused | HttpNotModified, HttpFailed>
  /** One HEAD request on a fresh connection, any status taken as an answer: how far away a place is. */
  readonly probe: (url: string, timeoutMs: number) => Effect.Effect<HttpProbe, HttpFailed>
}
