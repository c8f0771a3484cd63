import { createHash } from "node:crypto"
import { Clock, Effect, Result } from "effect"
import { LRUCache } from "lru-cache"
import { instant } from "../schemas/event.ts"
import type { Validators } from "./checkpoint.ts"
import { decodeSteps, undecodable } from "./decode.ts"
import type { Document, Undecodable, Upstream } from "./document.ts"
import type { HttpClient, HttpValidators } from "./http-client.port.ts"
import { HttpFailed } from "./http-client.port.ts"
import { makeJsonInspector } from "./json-bounds.ts"
import type { Source } from "./source.ts"
import type { Turns } from "./turns.ts"

/** The longest that one attempt may take, from the first byte out to the last byte in. */
export const TIMEOUT_MS = 8_000
const RETRIES_MAX = 2
/** Requests that one collection may make. */
const REQUESTS_MAX = 256
/** What all documents that are kept for conditional requests may weigh together, counted as they came. */
const CACHE_BYTES_MAX = 48 * 1024 * 1024
const CACHE_DOCUMENT_BYTES_MAX = 8 * 1024 * 1024
/** After this time a document is fetched whole again, whatever its validators say. */
const VALIDATORS_AGE_MAX_MS = 6 * 3_600_000
/** Documents of one collection that are put aside when they do not decode. */
const UNDECODED_MAX = 4
/** Of a document that is put aside, this much is kept. */
const UNDECODED_BYTES_MAX = 16 * 1024

/** A document that did not decode. */
export interface Undecoded {
  readonly document: string
  readonly problem: string
  readonly body: string
  readonly bodyBytes: number
}

interface CachedDocument {
  readonly wire: unknown
  readonly validators: HttpValidators
  readonly fetchedAtMs: number
  readonly bodyBytes: number
}

/** Decoded documents of sources that need several, so that each of them may answer 304. */
export type DocumentCache = LRUCache<string, CachedDocument>

export const makeDocumentCache = (): DocumentCache =>
  new LRUCache<string, CachedDocument>({
    maxSize: CACHE_BYTES_MAX,
    maxEntrySize: CACHE_DOCUMENT_BYTES_MAX,
    sizeCalculation: ({ bodyBytes }) => Math.max(1, bodyBytes),
  })

/** The one document of a source has not changed, so nothing has. Never seen by sources: it travels as a defect. */
export class Unmodified {
  readonly _tag = "Unmodified"
}

/** What collections need. */
export interface CollectContext {
  readonly http: HttpClient
  readonly cache: DocumentCache
  readonly turns: Turns
  readonly timeoutMs: number
}

/** One collection under way: what its source is given, and what it has come to. */
export interface Collection {
  readonly upstream: Upstream
  readonly undecoded: () => ReadonlyArray<Undecoded>
  /** What has come so far. */
  readonly bytes: () => number
  /** After a success: validators, where the source needed exactly one document; documents are cached where it needed more. */
  readonly finish: () => Validators | null
}

const sha256 = (text: string): string => createHash("sha256").update(text).digest("hex")

const nameOf = (source: Source, document: object): string =>
  Object.entries(source.documents).find(([, one]) => one === document)?.[0] ?? "document"

const excerpt = (bytes: Uint8Array): string =>
  new TextDecoder().decode(bytes.subarray(0, UNDECODED_BYTES_MAX)).replaceAll("\u0000", "\uFFFD").toWellFormed()

/**
 * Begins a collection of a source. `validators` are those of its one document, and null where the last success was not
 * made of one document of this source. `deadlineMs` bounds all requests together.
 */
export const beginCollection = (
  { http, cache, turns, timeoutMs }: CollectContext,
  source: Source,
  validators: Validators | null,
  deadlineMs: number,
): Collection => {
  const undecoded: Array<Undecoded> = []
  const fetched = new Map<string, CachedDocument>()
  let requests = 0
  let bytes = 0

  const tooMany = (host: string) =>
    new HttpFailed({
      reason: "budget_exhausted",
      host,
      status: null,
      retryAfterMs: null,
      message: `a collection may make ${REQUESTS_MAX} requests`,
    })

  const get = <Input, Wire>(
    document: Document<Input, Wire>,
    input: Input,
  ): Effect.Effect<Wire, HttpFailed | Undecodable> =>
    Effect.gen(function* () {
      const url = document.url(input)
      requests += 1
      if (requests > REQUESTS_MAX) return yield* tooMany(URL.parse(url)?.host ?? "")
      const nowMs = yield* Clock.currentTimeMillis
      const recent = (fetchedAtMs: number) => nowMs - fetchedAtMs < VALIDATORS_AGE_MAX_MS
      const cacheKey = `${source.name} ${url}`
      const cached = cache.get(cacheKey)
      const kept = cached !== undefined && recent(cached.fetchedAtMs) ? cached : null
      const sole =
        kept === null &&
        requests === 1 &&
        validators !== null &&
        validators.urlHash === sha256(url) &&
        recent(Date.parse(validators.fetchedAt))
          ? validators
          : null
      const conditions = kept?.validators ?? sole
      const response = yield* http.get({
        url,
        headers: document.headers,
        timeoutMs,
        budgetMs: Math.max(1, deadlineMs - nowMs),
        bodyBytesMax: document.bodyBytesMax,
        retriesMax: RETRIES_MAX,
        ...(document.format === "json" ? { inspect: makeJsonInspector } : {}),
        ...(conditions === null
          ? {}
          : {
              validators: {
                ...(conditions.etag === undefined ? {} : { etag: conditions.etag }),
                ...(conditions.lastModified === undefined ? {} : { lastModified: conditions.lastModified }),
              },
            }),
      })
      if (response._tag === "NotModified") {
        if (kept === null) return yield* Effect.die(new Unmodified())
        fetched.set(cacheKey, kept)
        // What is cached under a document's address was decoded by that document.
        return kept.wire as Wire
      }
      const documentName = nameOf(source, document)
      const putAside = (failure: Undecodable, body: Uint8Array, bodyBytes: number) => {
        if (undecoded.length < UNDECODED_MAX)
          undecoded.push({ document: failure.document, problem: failure.problem, body: excerpt(body), bodyBytes })
        return failure
      }
      if (response._tag === "Refused")
        return yield* putAside(undecodable(documentName, response.problem), response.start, response.bodyBytes)
      bytes += response.body.byteLength
      const decoded = yield* turns
        .run(response.body.byteLength, decodeSteps(documentName, document, response.body))
        .pipe(Effect.ensuring(Effect.sync(() => response.release?.())))
      if (Result.isFailure(decoded)) return yield* putAside(decoded.failure, response.body, response.body.byteLength)
      fetched.set(cacheKey, {
        wire: decoded.success,
        validators: response.validators,
        fetchedAtMs: nowMs,
        bodyBytes: response.body.byteLength,
      })
      return decoded.success
    })

  const hasValidators = ({ validators: { etag, lastModified } }: CachedDocument): boolean =>
    etag !== undefined || lastModified !== undefined

  return {
    upstream: { get, probe: http.probe },
    undecoded: () => undecoded,
    bytes: () => bytes,
    finish: () => {
      const [first] = fetched
      if (requests === 1 && first !== undefined) {
        const [cacheKey, document] = first
        return hasValidators(document)
          ? {
              urlHash: sha256(cacheKey.slice(source.name.length + 1)),
              ...document.validators,
              fetchedAt: instant(document.fetchedAtMs),
            }
          : null
      }
      for (const [cacheKey, document] of fetched) if (hasValidators(document)) cache.set(cacheKey, document)
      return null
    },
  }
}
