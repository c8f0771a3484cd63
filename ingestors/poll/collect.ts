import { createHash } from "node:crypto"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import { instant } from "../../schemas/event.ts"
import type { Announcement } from "../../schemas/events/observations.ts"
import type { Document, Undecodable, Upstream } from "../document.ts"
import { type HttpClient, HttpFailed, type HttpValidators } from "../http-client.port.ts"
import { makeJsonInspector } from "../readers/json-bounds.ts"
import { type LineVerdict, lineFilter } from "../readers/line-filter.ts"
import type { Source } from "../source.ts"
import { afterAnswers, readAnnouncements } from "./announcements.ts"
import {
  type CachedDocument,
  conditional,
  type DocumentCache,
  hasValidators,
  isRecent,
  type RequestedDocument,
} from "./document-cache.ts"
import type { Validators } from "./ingest-log.ts"
import type { Candidate } from "./plan.ts"
import { decodeSteps, undecodable } from "./read.ts"
import { makeRedaction, type Redaction } from "./redaction.ts"
import type { StepScheduler } from "./steps.ts"

/** The timeout of one attempt, from the first byte sent to the last byte received. */
export const TIMEOUT_MS = 8_000
const RETRIES_MAX = 2
/** Requests that one collection may make. */
const REQUESTS_MAX = 256
/** The longest query that is sent as a body. */
const REQUEST_BODY_MAX_BYTES = 64 * 1024
/** Documents of one collection are cached up to this many bytes: more would evict those of all other sources. */
const CACHED_MAX_BYTES = 24 * 1024 * 1024
/** The share of an instance's interval for which a shared document may serve it. */
const SHARED_INTERVAL_SHARE = 0.25
/** Undecodable documents of one collection that are kept for the quarantine. */
const UNDECODED_MAX = 4
/** The longest excerpt of an undecodable document. */
const UNDECODED_MAX_BYTES = 16 * 1024

/** A document, or a row of one, that could not be decoded. */
export interface UndecodedDocument {
  readonly document: string
  readonly problem: string
  readonly body: string
  readonly bodyBytes: number
}

/**
 * The only document of a source was answered with 304, so its last payload still holds. It is thrown as a defect, so that
 * no source can catch it.
 */
export class DocumentNotModified {
  readonly _tag = "DocumentNotModified"
}

/** Dependencies of collections. */
export interface CollectDependencies {
  readonly http: HttpClient
  readonly cache: DocumentCache
  readonly scheduler: StepScheduler
  readonly timeoutMs: number
}

/** The parameters of one collection. */
export interface CollectionOptions {
  readonly candidate: Pick<Candidate, "source" | "key" | "provider">
  /** Validators of the source's only document; null unless the last success was made of one document of this source. */
  readonly validators: Validators | null
  /** The interval of the instance: a shared document is never older than a part of it. */
  readonly everyMs: number
  /** Bounds all requests together. */
  readonly deadlineMs: number
  /** Admits each HTTP request by the provider's quotas: null, or the milliseconds after which one will be admitted. */
  readonly admit: (nowMs: number) => number | null
}

/** One collection in progress: the upstream that its source fetches from, and what was fetched. */
export interface Collection {
  readonly upstream: Upstream
  readonly undecoded: () => ReadonlyArray<UndecodedDocument>
  /** Bytes of the documents fetched so far. */
  readonly bytes: () => number
  /** All announcements after the answers so far, of those that were known before. */
  readonly announced: (known: ReadonlyArray<Announcement>) => ReadonlyArray<Announcement>
  /** After a success: the validators of an only document. The documents of a source that needed several are cached. */
  readonly finish: () => Validators | null
  /** After a failure: drops the shared documents that it used from the cache, so that other instances request them anew. */
  readonly abandon: () => void
}

/** The mutable state of one collection. */
interface CollectionState extends CollectDependencies, CollectionOptions {
  readonly redaction: Redaction
  readonly undecoded: Array<UndecodedDocument>
  /** The documents of this collection, by the hash of their request. */
  readonly fetched: Map<string, CachedDocument>
  /** The requests of shared documents that it used. */
  readonly shared: Set<string>
  /** The names of the documents that were answered in full, and what the answers announced. */
  readonly whole: Set<string>
  readonly announced: Array<Announcement>
  requests: number
  bytes: number
}

/** Begins a collection of a source. */
export const beginCollection = (dependencies: CollectDependencies, options: CollectionOptions): Collection => {
  const state: CollectionState = {
    ...dependencies,
    ...options,
    redaction: makeRedaction(options.candidate.key),
    undecoded: [],
    fetched: new Map(),
    shared: new Set(),
    whole: new Set(),
    announced: [],
    requests: 0,
    bytes: 0,
  }
  return {
    upstream: {
      fetch: (document, input) => fetchDocument(state, document, input),
      probe: dependencies.http.probe,
    },
    undecoded: () => state.undecoded,
    bytes: () => state.bytes,
    announced: (known) =>
      afterAnswers(known, {
        provider: options.candidate.provider,
        documents: Object.keys(options.candidate.source.documents),
        whole: state.whole,
        announced: state.announced,
      }),
    finish: () => finishCollection(state),
    abandon: () => {
      for (const requestHash of state.shared) state.cache.delete(requestHash)
    },
  }
}

const finishCollection = ({ requests, fetched, cache }: CollectionState): Validators | null => {
  const [first] = fetched
  if (requests === 1 && first !== undefined) {
    const [requestHash, document] = first
    return hasValidators(document)
      ? { requestHash, ...document.validators, fetchedAt: instant(document.fetchedAtMs) }
      : null
  }
  for (const [requestHash, document] of fetched) if (hasValidators(document)) cache.set(requestHash, document)
  return null
}

/** Identifies a request by a hash, since its address or body may hold a key. */
const hashOf = (source: Source, url: string, body: string | null): string =>
  createHash("sha256")
    .update(JSON.stringify([source.name, url, body]))
    .digest("hex")

const nameOf = (source: Source, document: object): string =>
  Object.entries(source.documents).find(([, one]) => one === document)?.[0] ?? "document"

const excerpt = (bytes: Uint8Array): string =>
  new TextDecoder().decode(bytes.subarray(0, UNDECODED_MAX_BYTES)).replaceAll("\u0000", "\uFFFD").toWellFormed()

const tooManyRequests = (host: string): HttpFailed =>
  new HttpFailed({
    reason: "budget_exhausted",
    host,
    status: null,
    retryAfterMs: null,
    message: `a collection may make ${REQUESTS_MAX} requests`,
  })

/** The validators of the last success, if this is the first request of the collection and the same one as then. */
const validatorsOfLastSuccess = (
  { validators, requests }: CollectionState,
  requestHash: string,
  nowMs: number,
  ageMaxMs: number | null,
): HttpValidators | null =>
  requests === 1 &&
  validators !== null &&
  validators.requestHash === requestHash &&
  isRecent(Date.parse(validators.fetchedAt), nowMs, ageMaxMs)
    ? validators
    : null

/** Drops validators that repeat the key, since validators are logged. */
const withoutKey = (redaction: Redaction, validators: HttpValidators): HttpValidators =>
  redaction.text(JSON.stringify(validators)) === JSON.stringify(validators) ? validators : {}

const keepUndecoded = (
  { undecoded }: CollectionState,
  failure: Undecodable,
  body: Uint8Array,
  bodyBytes: number,
): Undecodable => {
  if (undecoded.length < UNDECODED_MAX)
    undecoded.push({ document: failure.document, problem: failure.problem, body: excerpt(body), bodyBytes })
  return failure
}

/** Decodes a body that holds no key. */
const decodeBody = Effect.fnUntraced(function* <Input, Wire>(
  state: CollectionState,
  document: Document<Input, Wire>,
  body: Uint8Array,
): Effect.fn.Return<Wire, Undecodable> {
  const name = nameOf(state.candidate.source, document)
  const decoded = yield* state.scheduler.run(body.byteLength, decodeSteps(name, document, body))
  return Result.isFailure(decoded)
    ? yield* keepUndecoded(state, decoded.failure, body, body.byteLength)
    : decoded.success
})

const filterOf = (lines: () => (line: string) => LineVerdict) => () => lineFilter(lines())

/**
 * Requests a document, conditionally if an earlier answer is known. Status 304 means that the cached body still holds or, for
 * the only document of a source, the payload of the last success.
 */
const requestDocument = Effect.fnUntraced(function* <Input, Wire>(
  state: CollectionState,
  document: Document<Input, Wire>,
  input: Input,
  requestHash: string,
): Effect.fn.Return<RequestedDocument, HttpFailed | Undecodable> {
  const { source, provider } = state.candidate
  const name = nameOf(source, document)
  const clock = yield* Clock.Clock
  const nowMs = clock.currentTimeMillisUnsafe()
  const body = document.body(input)
  const cached = state.cache.recent(requestHash, nowMs)
  const isShared = document.sharedForMs > 0
  const lastValidators = isShared
    ? null
    : validatorsOfLastSuccess(state, requestHash, nowMs, document.validatorsAgeMaxMs)
  const response = yield* state.http.fetch({
    url: document.url(input),
    headers: document.headers(input),
    ...(body === null ? {} : { body }),
    timeoutMs: document.timeoutMs ?? state.timeoutMs,
    budgetMs: Math.max(1, state.deadlineMs - nowMs),
    bodyBytesMax: document.bodyBytesMax,
    ...(document.userAgentCharactersMax === null ? {} : { userAgentCharactersMax: document.userAgentCharactersMax }),
    retriesMax: RETRIES_MAX,
    acceptedStatuses: document.acceptedStatuses,
    admit: () => state.admit(clock.currentTimeMillisUnsafe()),
    onAnnounced: ({ sunset, deprecation, warning }) => {
      const { text } = state.redaction
      const headers = { sunset: sunset.map(text), deprecation: deprecation.map(text), warning: warning.map(text) }
      state.announced.push(...readAnnouncements(headers).map((one) => ({ provider, document: name, ...one })))
    },
    ...(document.format === "json" || document.format === "python-json" ? { inspect: makeJsonInspector } : {}),
    ...(document.lines === null ? {} : { filter: filterOf(document.lines) }),
    ...conditional(cached === null ? lastValidators : hasValidators(cached) ? cached.validators : null),
  })
  if (response._tag === "NotModified")
    return cached === null
      ? yield* Effect.die(new DocumentNotModified())
      : { brought: { ...cached, confirmedAtMs: nowMs }, release: () => {} }
  state.whole.add(name)
  if (response._tag === "Refused")
    return yield* keepUndecoded(
      state,
      undecodable(name, response.problem),
      state.redaction.bytes(response.start),
      response.bodyBytes,
    )
  state.bytes += response.body.byteLength
  return {
    brought: {
      body: state.redaction.bytes(response.body),
      // An answer to a POST, or with another status than 200, is never fetched conditionally.
      validators: body === null && response.status === 200 ? withoutKey(state.redaction, response.validators) : {},
      fetchedAtMs: nowMs,
      confirmedAtMs: nowMs,
    },
    release: () => response.release?.(),
  }
})

/** Decodes what a request brought. Decoding ends the body's share of the byte budget. */
const decodeRequested = <Input, Wire>(
  state: CollectionState,
  document: Document<Input, Wire>,
  { brought, release }: RequestedDocument,
): Effect.Effect<Wire, Undecodable> =>
  decodeBody(state, document, brought.body).pipe(Effect.ensuring(Effect.sync(release)))

/**
 * A document that several instances share: the answer of the last minutes, or that of a request which another instance is
 * making, or one of its own. A failure is shared with those who wait for it, so that it costs one request too.
 */
const fetchShared = Effect.fnUntraced(function* <Input, Wire>(
  state: CollectionState,
  document: Document<Input, Wire>,
  input: Input,
  requestHash: string,
): Effect.fn.Return<Wire, HttpFailed | Undecodable> {
  const { cache } = state
  state.shared.add(requestHash)
  const nowMs = yield* Clock.currentTimeMillis
  const kept = cache.get(requestHash)
  const sharedForMs = Math.min(document.sharedForMs, state.everyMs * SHARED_INTERVAL_SHARE)
  if (kept !== undefined && Math.abs(nowMs - kept.confirmedAtMs) < sharedForMs)
    return yield* decodeBody(state, document, kept.body)
  const requested = yield* cache.requests.ask(requestHash, () =>
    Effect.tap(requestDocument(state, document, input, requestHash), ({ brought }) =>
      Effect.sync(() => cache.set(requestHash, brought)),
    ),
  )
  return yield* decodeRequested(state, document, requested)
})

const fetchDocument = Effect.fnUntraced(function* <Input, Wire>(
  state: CollectionState,
  document: Document<Input, Wire>,
  input: Input,
): Effect.fn.Return<Wire, HttpFailed | Undecodable> {
  const url = document.url(input)
  const body = document.body(input)
  if (body !== null && Buffer.byteLength(body) > REQUEST_BODY_MAX_BYTES)
    throw new TypeError(`the query has more than ${REQUEST_BODY_MAX_BYTES} bytes`)
  state.requests += 1
  if (state.requests > REQUESTS_MAX) return yield* tooManyRequests(URL.parse(url)?.host ?? "")
  const requestHash = hashOf(state.candidate.source, url, body)
  if (document.sharedForMs > 0) return yield* fetchShared(state, document, input, requestHash)
  const requested = yield* requestDocument(state, document, input, requestHash)
  const wire = yield* decodeRequested(state, document, requested)
  const { brought } = requested
  // The validators of an only document are kept whatever its size.
  if (state.requests === 1 || (hasValidators(brought) && state.bytes <= CACHED_MAX_BYTES))
    state.fetched.set(requestHash, brought)
  return wire
})
