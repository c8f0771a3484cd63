import { LRUCache } from "lru-cache"
import { type Flights, makeFlights } from "../../schemas/flights.ts"
import type { Undecodable } from "../document.ts"
import type { HttpFailed, HttpRequest, HttpValidators } from "../http-client.port.ts"

/** The limit of all cached documents together, in bytes of their bodies. */
const CACHE_MAX_BYTES = 16 * 1024 * 1024
const CACHE_DOCUMENT_MAX_BYTES = 8 * 1024 * 1024
/** After this time a document is fetched unconditionally again. */
const VALIDATORS_AGE_MAX_MS = 6 * 3_600_000

/** The body of a document that could be decoded, without a key in it, and the validators of the answer that brought it. */
export interface CachedDocument {
  readonly body: Uint8Array
  readonly validators: HttpValidators
  readonly fetchedAtMs: number
  /** When the upstream last brought it, or answered that it still holds. */
  readonly confirmedAtMs: number
}

/** The document that a request brought, and the release of its share of the byte budget once it is decoded. */
export interface RequestedDocument {
  readonly brought: CachedDocument
  readonly release: () => void
}

/**
 * Documents by the hash of their request. A source that needs several documents reuses each one that its upstream answers
 * with 304. Bodies are kept and decoded again: decoded, a document takes five to ten times the memory.
 */
export interface DocumentCache {
  readonly get: (requestHash: string) => CachedDocument | undefined
  /** The document of a request, while it may be used conditionally; null without one. */
  readonly recent: (requestHash: string, nowMs: number) => CachedDocument | null
  readonly set: (requestHash: string, document: CachedDocument) => void
  readonly delete: (requestHash: string) => void
  /** The requests under way for documents that several instances share. */
  readonly requests: Flights<RequestedDocument, HttpFailed | Undecodable>
}

/** Makes an empty cache; the least recently used documents leave it first. */
export const makeDocumentCache = (): DocumentCache => {
  const documents = new LRUCache<string, CachedDocument>({
    maxSize: CACHE_MAX_BYTES,
    maxEntrySize: CACHE_DOCUMENT_MAX_BYTES,
    sizeCalculation: ({ body }) => Math.max(1, body.byteLength),
  })
  return {
    get: (requestHash) => documents.get(requestHash),
    recent: (requestHash, nowMs) => {
      const cached = documents.get(requestHash)
      return cached !== undefined && isRecent(cached.fetchedAtMs, nowMs) ? cached : null
    },
    set: (requestHash, document) => void documents.set(requestHash, document),
    delete: (requestHash) => void documents.delete(requestHash),
    requests: makeFlights(),
  }
}

/** Whether a document of this age may be requested conditionally; `ageMaxMs` is its own limit, null for the common one. */
export const isRecent = (fetchedAtMs: number, nowMs: number, ageMaxMs: number | null = null): boolean =>
  nowMs - fetchedAtMs < (ageMaxMs ?? VALIDATORS_AGE_MAX_MS)

/** Whether an answer has validators, so that its document can be requested conditionally. */
export const hasValidators = ({ validators: { etag, lastModified } }: CachedDocument): boolean =>
  etag !== undefined || lastModified !== undefined

/** The part of a request that makes it conditional; empty without validators. */
export const conditional = (validators: HttpValidators | null): Pick<HttpRequest, "validators"> =>
  validators === null
    ? {}
    : {
        validators: {
          ...(validators.etag === undefined ? {} : { etag: validators.etag }),
          ...(validators.lastModified === undefined ? {} : { lastModified: validators.lastModified }),
        },
      }
