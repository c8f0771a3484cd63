import { createHash } from "node:crypto"
import type { IncomingHttpHeaders } from "node:http"
import { promisify } from "node:util"
import zlib from "node:zlib"
import { Negotiator } from "@fastify/accept-negotiator"
import fresh from "fresh"
import type { MissingData } from "../views/compose.ts"

// Replies as bytes: their content codings, the headers that belong to the bytes, and which of them a client takes.

/** Content codings in which bytes are prepared. */
const codings = ["identity", "gzip", "br"] as const
export type Coding = (typeof codings)[number]

/** The bytes of a reply in one coding, and the headers that belong to them, as the flat list `writeHead` takes. */
export interface Representation {
  readonly coding: Coding
  readonly bytes: Buffer
  /** Strong entity tag; empty where the reply must not be stored. */
  readonly etag: string
  readonly headers: ReadonlyArray<string>
}

/** A prepared reply. */
export interface PreparedReply {
  /** `Cache-Control` of the reply when it is sent at `nowMs`. */
  readonly cacheControl: (nowMs: number) => string
  /** HTTP date, in whole seconds. */
  readonly lastModified: string
  /** Why there is no data, in which case the bytes must not be stored; null where there is. */
  readonly missing: MissingData | null
  /** Its `Content-Security-Policy`; null for that of replies which no browser shows as a page. */
  readonly contentPolicy: string | null
  readonly representations: Readonly<Record<Coding, Representation>>
}

/** The facts of a reply's headers. */
export interface ReplyFacts {
  readonly preparedAtMs: number
  readonly ttlMs: number
  /** When the bytes change without new data; null where they do not. */
  readonly changesAtMs: number | null
  /** `_meta.as_of`; null where there is none. */
  readonly asOf: string | null
  /** Null for data without an upstream. */
  readonly stale: boolean | null
  /** Why there is no data; null where there is. */
  readonly missing: MissingData | null
  /** JSON unless given. */
  readonly contentType?: string
  /** Whether the reply is for its caller alone, so that no shared cache may store it. False unless given. */
  readonly isPrivate?: boolean
  /** Headers of its own, as a flat list; none unless given. */
  readonly headers?: ReadonlyArray<string>
  /** `Cache-Control`, in place of the one that follows from the other facts. */
  readonly cacheControl?: string
  /** See `PreparedReply`; null unless given. */
  readonly contentPolicy?: string
}

export const JSON_TYPE = "application/json; charset=utf-8"
/** The Content-Type of problems (RFC 9457). */
export const PROBLEM_TYPE = "application/problem+json; charset=utf-8"

/** Below this, compressing takes less time than handing the work over to another thread. */
const SYNC_MAX_BYTES = 4 * 1024
/** Smaller bodies fit into one packet in any coding. */
const COMPRESSED_MIN_BYTES = 256
/** `Retry-After` while data may still come. */
export const WARMING_RETRY_SECONDS = 5
const STALE_IF_ERROR_SECONDS = 86_400
/** How hard bytes are compressed. `kept`: they are sent many times. `once`: each body is for a single reply. */
const efforts = { kept: { gzip: 6, br: 5 }, once: { gzip: 4, br: 3 } } as const
/** Compressing smaller bodies for a single reply costs more than it saves. */
const COMPRESSED_ONCE_MIN_BYTES = 1_024
/** Cached replies that are compressed at the same time; beyond it they are sent uncompressed. */
const COMPRESSING_KEPT_MAX = 4
/** Bodies for a single reply that are compressed at the same time; beyond it no call waits for others. */
const COMPRESSING_ONCE_MAX = 8
/** Distinct Accept-Encoding texts in the cache; real clients send a handful. */
const HEADERS_MAX = 256
const HEADER_MAX_CHARACTERS = 256

const gzip = promisify<zlib.InputType, zlib.ZlibOptions, Buffer>(zlib.gzip)
const brotli = promisify<zlib.InputType, zlib.BrotliOptions, Buffer>(zlib.brotliCompress)

const gzipOptions = (effort: keyof typeof efforts): zlib.ZlibOptions => ({ level: efforts[effort].gzip })

const brotliOptions = (bytes: Buffer, effort: keyof typeof efforts): zlib.BrotliOptions => ({
  params: {
    [zlib.constants.BROTLI_PARAM_MODE]: zlib.constants.BROTLI_MODE_TEXT,
    [zlib.constants.BROTLI_PARAM_QUALITY]: efforts[effort].br,
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
    ...(facts.headers ?? []),
  ]
  if (facts.stale !== null) headers.push("X-Service-Stale", String(facts.stale))
  if (coding !== "identity") headers.push("Content-Encoding", coding)
  if (facts.asOf !== null) headers.push("X-Service-As-Of", facts.asOf)
  if (facts.missing === null) headers.push("ETag", etag, "Last-Modified", lastModified)
  // Without a polled source a retry is useless.
  else if (!facts.missing.resting) headers.push("Retry-After", String(WARMING_RETRY_SECONDS))
  return { coding, bytes, etag, headers }
}

/**
 * `max-age` counts from the moment at which a reply is sent, as the origin sends no Age. It ends when the bytes change by
 * themselves, and is never below one second, as a reply with none would be expired on arrival.
 */
const cacheControlOf = (facts: ReplyFacts): ((nowMs: number) => string) => {
  const { ttlMs, changesAtMs, missing, isPrivate, cacheControl } = facts
  if (cacheControl !== undefined) return () => cacheControl
  const reusableFor = (ms: number) =>
    `${isPrivate === true ? "private" : "public"}, max-age=${Math.max(1, Math.floor(ms / 1000))}, stale-if-error=${STALE_IF_ERROR_SECONDS}`
  if (missing !== null) return () => "no-store"
  const whole = reusableFor(ttlMs)
  if (changesAtMs === null) return () => whole
  return (nowMs) => (changesAtMs - nowMs >= ttlMs ? whole : reusableFor(changesAtMs - nowMs))
}

const assemble = (identity: Buffer, zipped: Buffer, brotlied: Buffer, facts: ReplyFacts): PreparedReply => {
  const hash = createHash("sha256").update(identity).digest("base64url").slice(0, 22)
  const lastModified = new Date(facts.preparedAtMs).toUTCString()
  const plain = representation("identity", identity, hash, lastModified, facts)
  // Where a coding makes the bytes longer, identity is served instead.
  const coded = (coding: Coding, bytes: Buffer) =>
    bytes.length < identity.length ? representation(coding, bytes, hash, lastModified, facts) : plain
  return {
    cacheControl: cacheControlOf(facts),
    lastModified,
    missing: facts.missing,
    contentPolicy: facts.contentPolicy ?? null,
    representations: { identity: plain, gzip: coded("gzip", zipped), br: coded("br", brotlied) },
  }
}

/** Prepares a reply synchronously, in identity coding alone. */
export const prepareUncoded = (identity: Buffer, facts: ReplyFacts): PreparedReply =>
  assemble(identity, identity, identity, facts)

/** Prepares a reply in identity coding and in the one in which it is about to be sent. */
export const prepareChosen = (identity: Buffer, { coding, bytes }: EncodedBody, facts: ReplyFacts): PreparedReply =>
  assemble(identity, coding === "gzip" ? bytes : identity, coding === "br" ? bytes : identity, facts)

/** Whether a body is small enough for `prepareNow` not to block the event loop. */
export const isSmall = (identity: Buffer): boolean => identity.length <= SYNC_MAX_BYTES

/** Prepares a reply synchronously: for small bodies, and at the start. */
export const prepareNow = (identity: Buffer, facts: ReplyFacts): PreparedReply => {
  if (identity.length < COMPRESSED_MIN_BYTES) return prepareUncoded(identity, facts)
  const zipped = zlib.gzipSync(identity, gzipOptions("kept"))
  return assemble(identity, zipped, zlib.brotliCompressSync(identity, brotliOptions(identity, "kept")), facts)
}

/** Prepares a reply; compression runs on other threads. */
export const prepare = async (identity: Buffer, facts: ReplyFacts): Promise<PreparedReply> => {
  const [zipped, brotlied] = await Promise.all([
    gzip(identity, gzipOptions("kept")),
    brotli(identity, brotliOptions(identity, "kept")),
  ])
  return assemble(identity, zipped, brotlied, facts)
}

/** Bytes of a reply in all its codings. */
export const bytesOf = ({ representations }: PreparedReply): number => {
  const { identity, gzip: zipped, br } = representations
  // A coding that does not shorten the bytes is identity.
  return (
    identity.bytes.length + (zipped === identity ? 0 : zipped.bytes.length) + (br === identity ? 0 : br.bytes.length)
  )
}

/** A cached reply, which is sent uncompressed at first. */
export interface CachedCoding {
  readonly facts: ReplyFacts
  prepared: PreparedReply
  coding: "none" | "running" | "done"
}

/** A body in the coding in which it is sent. */
interface EncodedBody {
  readonly coding: Coding
  readonly bytes: Buffer
}

/** Compresses what is not prepared in advance, on other threads: cached replies, and bodies of a single reply. */
export class Coder {
  #compressingKept = 0
  #compressingOnce = 0

  /** Compresses a cached reply in the background, unless it is so already; then calls `changed`. */
  complete(reply: CachedCoding, changed: () => void): void {
    if (reply.coding !== "none") return
    const { bytes } = reply.prepared.representations.identity
    if (isSmall(bytes)) {
      reply.prepared = prepareNow(bytes, reply.facts)
      reply.coding = "done"
      changed()
      return
    }
    if (this.#compressingKept >= COMPRESSING_KEPT_MAX) return
    this.#compressingKept += 1
    reply.coding = "running"
    // Compression fails only without memory: the rejection stays unhandled and ends the process.
    prepare(bytes, reply.facts).then((prepared) => {
      reply.prepared = prepared
      reply.coding = "done"
      this.#compressingKept -= 1
      changed()
    })
  }

  /** Compresses the body of a single reply into the coding that its caller prefers. */
  async once(body: Buffer, acceptEncoding: string | undefined): Promise<EncodedBody> {
    const plain: EncodedBody = { coding: "identity", bytes: body }
    const coding = body.length < COMPRESSED_ONCE_MIN_BYTES ? "identity" : chooseCoding(acceptEncoding)
    if (coding === "identity" || this.#compressingOnce >= COMPRESSING_ONCE_MAX) return plain
    this.#compressingOnce += 1
    try {
      const bytes =
        coding === "gzip" ? await gzip(body, gzipOptions("once")) : await brotli(body, brotliOptions(body, "once"))
      return bytes.length < body.length ? { coding, bytes } : plain
    } finally {
      this.#compressingOnce -= 1
    }
  }
}

const CODINGS: ReadonlyArray<Coding> = ["br", "gzip", "identity"]
const isCoding = (text: string | null): text is Coding => CODINGS.some((coding) => coding === text)

const known = new Map<string, Coding>()
const negotiator = new Negotiator({ supportedValues: [...CODINGS] })

/**
 * A header in which `*` is written out: it stands for the codings that are not listed (RFC 9110, 12.5.3). The library takes it for
 * the first one, be that refused.
 */
const writtenOut = (acceptEncoding: string): string => {
  if (!acceptEncoding.includes("*")) return acceptEncoding
  const parts = acceptEncoding.split(",")
  const nameOf = (part: string) => part.split(";", 1)[0]?.trim().toLowerCase()
  const listed = new Set(parts.map(nameOf))
  const others = CODINGS.filter((coding) => !listed.has(coding))
  return parts
    .flatMap((part) => (nameOf(part) === "*" ? others.map((coding) => part.replace("*", coding)) : [part]))
    .join(",")
}

/** The coding to send for an Accept-Encoding: the client's preference; among equals br, then gzip; identity where none fits. */
export const chooseCoding = (acceptEncoding: string | undefined): Coding => {
  if (acceptEncoding === undefined || acceptEncoding.length > HEADER_MAX_CHARACTERS) return "identity"
  const before = known.get(acceptEncoding)
  if (before !== undefined) return before
  const chosen = negotiator.negotiate(writtenOut(acceptEncoding))
  const coding = isCoding(chosen) ? chosen : "identity"
  if (known.size >= HEADERS_MAX) known.clear()
  known.set(acceptEncoding, coding)
  return coding
}

/** Whether the client holds these bytes already (If-None-Match, else If-Modified-Since). */
export const isNotModified = (
  headers: IncomingHttpHeaders,
  prepared: PreparedReply,
  chosen: Representation,
): boolean => {
  if (headers["if-none-match"] === undefined && headers["if-modified-since"] === undefined) return false
  if (prepared.missing !== null) return false
  return fresh(headers, { etag: chosen.etag, "last-modified": prepared.lastModified })
}
