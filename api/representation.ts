import { createHash } from "node:crypto"
import { promisify } from "node:util"
import zlib from "node:zlib"
import type { MissingData } from "./meta.ts"

/** Content codings in which bytes stand ready. */
export const codings = ["identity", "gzip", "br"] as const
export type Coding = (typeof codings)[number]

/** The bytes of a reply in one coding, and the headers that belong to them, as the flat list `writeHead` takes. */
export interface Representation {
  readonly coding: Coding
  readonly bytes: Buffer
  /** Strong entity tag; empty where the reply must not be kept. */
  readonly etag: string
  readonly headers: ReadonlyArray<string>
}

/** A reply that stands ready. */
export interface PreparedReply {
  /** What may be kept of it, and for how long, when it is sent at `nowMs`. */
  readonly cacheControl: (nowMs: number) => string
  /** HTTP date, in whole seconds. */
  readonly lastModified: string
  /** There is no data: the bytes say why, and must not be kept. */
  readonly missing: MissingData | null
  readonly representations: Readonly<Record<Coding, Representation>>
}

/** What the headers of a reply say beside its bytes. */
export interface ReplyFacts {
  readonly preparedAtMs: number
  readonly ttlMs: number
  /** When the bytes would read differently without any news; null where only news change them. */
  readonly changesAtMs: number | null
  /** Instant of the data; null where it has none. */
  readonly asOf: string | null
  /** Null for what has no upstream. */
  readonly stale: boolean | null
  /** Why there is no data; null where there is. */
  readonly missing: MissingData | null
  /** JSON unless given. */
  readonly contentType?: string
}

export const JSON_TYPE = "application/json; charset=utf-8"

/** Below this, compressing takes less time than handing the work over to another thread. */
const SYNC_BYTES_MAX = 4 * 1024
/** Below this, a coding saves nothing that a packet would notice. */
const COMPRESSED_BYTES_MIN = 256
/** When asking again for data that may come makes sense. */
export const WARMING_RETRY_SECONDS = 5
const STALE_IF_ERROR_SECONDS = 86_400
const BROTLI_QUALITY = 5

const gzip = promisify(zlib.gzip)
const brotli = promisify<zlib.InputType, zlib.BrotliOptions, Buffer>(zlib.brotliCompress)

const brotliOptions = (bytes: Buffer): zlib.BrotliOptions => ({
  params: {
    [zlib.constants.BROTLI_PARAM_MODE]: zlib.constants.BROTLI_MODE_TEXT,
    [zlib.constants.BROTLI_PARAM_QUALITY]: BROTLI_QUALITY,
    [zlib.constants.BROTLI_PARAM_SIZE_HINT]: bytes.length,
  },
})

const suffix: Readonly<Record<Coding, string>> = { identity: "", gzip: "-gz", br: "-br" }

const representation = (
  coding: Coding,
  bytes: Buffer,
  hash: string,
  lastModified: string,
  facts: ReplyFacts,
): Representation => {
  const etag = facts.missing !== null ? "" : `"${hash}${suffix[coding]}"`
  const headers = [
    "Content-Type",
    facts.contentType ?? JSON_TYPE,
    "Content-Length",
    String(bytes.length),
    "Vary",
    "Accept-Encoding",
  ]
  if (facts.stale !== null) headers.push("X-Service-Stale", String(facts.stale))
  if (coding !== "identity") headers.push("Content-Encoding", coding)
  if (facts.asOf !== null) headers.push("X-Service-As-Of", facts.asOf)
  if (facts.missing === null) headers.push("ETag", etag, "Last-Modified", lastModified)
  // Where no source is polled, asking again brings nothing.
  else if (!facts.missing.resting) headers.push("Retry-After", String(WARMING_RETRY_SECONDS))
  return { coding, bytes, etag, headers }
}

/**
 * How long a reply may be kept is counted from the moment at which it is sent, as the origin sends no Age: a reply that was
 * prepared long ago is as good as a new one. It ends with the freshness that the bytes speak of; in its last second, a
 * second later, as a reply that is kept for no time at all would be expired when it arrives.
 */
const cacheControlOf = ({ ttlMs, changesAtMs, missing }: ReplyFacts): ((nowMs: number) => string) => {
  const publicFor = (ms: number) =>
    `public, max-age=${Math.max(1, Math.floor(ms / 1000))}, stale-if-error=${STALE_IF_ERROR_SECONDS}`
  if (missing !== null) return () => "no-store"
  const whole = publicFor(ttlMs)
  if (changesAtMs === null) return () => whole
  return (nowMs) => (changesAtMs - nowMs >= ttlMs ? whole : publicFor(changesAtMs - nowMs))
}

const assemble = (identity: Buffer, zipped: Buffer, brotlied: Buffer, facts: ReplyFacts): PreparedReply => {
  const hash = createHash("sha256").update(identity).digest("base64url").slice(0, 22)
  const lastModified = new Date(facts.preparedAtMs).toUTCString()
  const plain = representation("identity", identity, hash, lastModified, facts)
  // A coding that makes the bytes longer is served as they are.
  const coded = (coding: Coding, bytes: Buffer) =>
    bytes.length < identity.length ? representation(coding, bytes, hash, lastModified, facts) : plain
  return {
    cacheControl: cacheControlOf(facts),
    lastModified,
    missing: facts.missing,
    representations: { identity: plain, gzip: coded("gzip", zipped), br: coded("br", brotlied) },
  }
}

/** Whether `prepareNow` may be used: it would not hold up the event loop. */
export const isSmall = (identity: Buffer): boolean => identity.length <= SYNC_BYTES_MAX

/** Prepares a reply at once, without any coding. */
export const prepareUncoded = (identity: Buffer, facts: ReplyFacts): PreparedReply =>
  assemble(identity, identity, identity, facts)

/** Prepares a reply at once. For small bodies, and at start. */
export const prepareNow = (identity: Buffer, facts: ReplyFacts): PreparedReply =>
  identity.length < COMPRESSED_BYTES_MIN
    ? prepareUncoded(identity, facts)
    : assemble(identity, zlib.gzipSync(identity), zlib.brotliCompressSync(identity, brotliOptions(identity)), facts)

/** Prepares a reply; the compressing is done on other threads. */
export const prepare = async (identity: Buffer, facts: ReplyFacts): Promise<PreparedReply> => {
  const [zipped, brotlied] = await Promise.all([gzip(identity), brotli(identity, brotliOptions(identity))])
  return assemble(identity, zipped, brotlied, facts)
}
