import type * as Deferred from "effect/Deferred"
import { LRUCache } from "lru-cache"
import type { Undecodable } from "./document.ts"
import type { HttpFailed, HttpValidators } from "./http-client.port.ts"

/** The limit of all cached documents together, in bytes of their bodies. */
const CACHE_MAX_BYTES = 32 * 1024 * 1024
const CACHE_DOCUMENT_MAX_BYTES = 8 * 1024 * 1024

/** The body of a document that could be decoded, without a key in it, and the validators of the answer that brought it. */
export interface CachedDocument {
  readonly body: Uint8Array
  readonly validators: HttpValidators
  readonly fetchedAtMs: number
  /** When the upstream last brought it, or answered that it still holds. */
  readonly confirmedAtMs: number
}

/**
 * Documents by the hash of their request. A source that needs several documents reuses each one that its upstream answers
 * with 304. Bodies are kept and decoded again: decoded, a document takes five to ten times the memory.
 */
export interface DocumentCache extends LRUCache<string, CachedDocument> {
  /** The requests under way for documents that several instances share. */
  readonly underWay: Map<string, Deferred.Deferred<CachedDocument, HttpFailed | Undecodable>>
}

/** Makes an empty cache; the least recently used documents leave it first. */
export const makeDocumentCache = (): DocumentCache =>
  Object.assign(
    new LRUCache<string, CachedDocument>({
      maxSize: CACHE_MAX_BYTES,
      maxEntrySize: CACHE_DOCUMENT_MAX_BYTES,
      sizeCalculation: ({ body }) => Math.max(1, body.byteLength),
    }),
    { underWay: new Map() },
  )

/** Whether a document can be requested conditionally. */
export const hasValidators = ({ validators: { etag, lastModified } }: CachedDocument): boolean =>
  etag !== undefined || lastModified !== undefined
