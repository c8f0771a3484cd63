import type * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { FailureReason } from "../schemas/events/observations.ts"

/** A request to an upstream. `url` is the provider's real address; settings can redirect it to another server. */
export interface HttpRequest {
  readonly url: string
  readonly headers?: Readonly<Record<string, string>>
  /** JSON text of a POST, for upstreams that take their query as a body; absent for a GET. */
  readonly body?: string
  /** For one attempt, from the first byte sent to the last byte received. */
  readonly timeoutMs: number
  /** For the whole request: queueing, all attempts and the pauses between them. By default the sum of their limits. */
  readonly budgetMs?: number
  /** The limit of the body, both compressed and decompressed. */
  readonly bodyBytesMax: number
  /** A longer User-Agent is cut to the name of the product, since some hosts refuse long ones. No limit by default. */
  readonly userAgentCharactersMax?: number
  /** Makes an inspector of the decompressed body's chunks; the first problem that it reports ends the download. */
  readonly inspect?: () => BodyInspector
  /** Makes a filter of the decompressed body, of which only what it keeps is held: `bodyBytesMax` bounds what is read. */
  readonly filter?: () => BodyFilter
  /** Retries of transient failures (timeouts, refused connections, 5xx, 429), with backoff and jitter. */
  readonly retriesMax: number
  /** Validators of a conditional GET. */
  readonly validators?: HttpValidators
  /** Statuses besides 200 whose body is used, such as a 404 with an error object. */
  readonly acceptedStatuses?: ReadonlyArray<number>
  /**
   * Called before each request that is sent, retries and redirects included. Null admits it; else the request fails with
   * `budget_exhausted`, and the number is the milliseconds after which one will be admitted.
   */
  readonly admit?: () => number | null
  /** Called with what each answer announces, whatever its status: redirects and failures included. */
  readonly onAnnounced?: (headers: AnnouncingHeaders) => void
}

/** The values of the headers by which an upstream announces its end or warns, as they came; empty without the header. */
export interface AnnouncingHeaders {
  readonly sunset: ReadonlyArray<string>
  readonly deprecation: ReadonlyArray<string>
  readonly warning: ReadonlyArray<string>
}

/** Inspects the next chunk of a body; gives the reason to refuse the body, or null. */
export type BodyInspector = (piece: Uint8Array) => string | null

/** Chooses what is kept of a body, piece by piece. It throws where the body is none that it can read. */
export interface BodyFilter {
  /** What is kept of the next piece, and whether nothing after it is of use, which ends the download. */
  readonly push: (piece: Uint8Array) => { readonly kept: Uint8Array; readonly isOver: boolean }
  /** What is kept of the rest, once the body has ended. */
  readonly end: () => Uint8Array
}

/** Validators of an answer, which make the next request conditional. */
export interface HttpValidators {
  readonly etag?: string
  readonly lastModified?: string
}

/** A complete answer, with status 200 or another accepted one. */
export interface HttpResponse {
  readonly _tag: "Fetched"
  readonly status: number
  readonly body: Uint8Array
  /** Releases the body's share of the byte budget of all bodies; to be called once it is decoded. */
  readonly release?: () => void
  readonly contentType: string | null
  readonly validators: HttpValidators
  readonly latencyMs: number
}

/** An answer with status 200 whose body was refused by `inspect` before its end. */
export interface HttpRefused {
  readonly _tag: "Refused"
  readonly problem: string
  /** The first piece of the body. */
  readonly start: Uint8Array
  /** Bytes received until then. */
  readonly bodyBytes: number
}

/** Status 304: the document has not changed. */
export interface HttpNotModified {
  readonly _tag: "NotModified"
  readonly latencyMs: number
}

/** A request without a usable answer: the reason, in the closed set of events and replies, and one sentence for people. */
export class HttpFailed extends Schema.TaggedError<HttpFailed>()("HttpFailed", {
  reason: FailureReason,
  host: Schema.String,
  status: Schema.NullOr(Schema.Int),
  /** The wait that the upstream requested by `Retry-After`, if any. */
  retryAfterMs: Schema.NullOr(Schema.Natural),
  /** Never contains a URL, since some hold keys. */
  message: Schema.String,
}) {}

/** How long one round trip to a target took. */
export interface HttpProbe {
  readonly latencyMs: number
}

/** The rate limit of one host: requests in any period of `intervalMs`, and concurrent ones. */
export interface HostPace {
  readonly requestsMax: number
  readonly intervalMs: number
  readonly concurrencyMax: number
  /** The least pause after status 429, for a host that asks for one in its documentation and not by `Retry-After`. */
  readonly rateLimitedPauseMs?: number
}

/** Outbound HTTP to fixed hosts: timeouts, bounded bodies, same-host redirects, per-host pace and circuit. */
export interface HttpClient {
  readonly fetch: (request: HttpRequest) => Effect.Effect<HttpResponse | HttpRefused | HttpNotModified, HttpFailed>
  /** Measures one HEAD request on a new connection; any status counts as an answer. */
  readonly probe: (url: string, timeoutMs: number) => Effect.Effect<HttpProbe, HttpFailed>
}
