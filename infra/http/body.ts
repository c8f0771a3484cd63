import type { Readable } from "node:stream"
import { pipeline } from "node:stream/promises"
import { createBrotliDecompress, createGunzip, createInflate } from "node:zlib"
import { Gauge } from "prom-client"
import type { BodyFilter, BodyInspector, HttpRefused } from "../../ingestors/http-client.port.ts"
import { httpFailed } from "./failure.ts"

/** The compressions that requests accept. */
export const ACCEPT_ENCODING = "gzip, deflate, br"

const unpackers = {
  gzip: createGunzip,
  "x-gzip": createGunzip,
  deflate: createInflate,
  br: createBrotliDecompress,
} as const

const isPacking = (name: string): name is keyof typeof unpackers => Object.hasOwn(unpackers, name)

/** A body that was read to its end. */
interface WholeBody {
  readonly _tag: "Whole"
  readonly bytes: Uint8Array
  /** Releases its share of the budget. */
  readonly release: () => void
}

/** Thrown inside the stream to end it with a refusal. */
class BodyRefused {
  readonly refused: HttpRefused
  constructor(refused: HttpRefused) {
    this.refused = refused
  }
}

/** Thrown inside the stream to end it early, when the filter needs nothing more. */
class BodyOver {}

/** The limit of what a filter keeps of a body. */
const KEPT_MAX_BYTES = 1024 * 1024

/** Passes the chunks of a body on; throws what `tooLarge` gives once they have more than `bytesMax` bytes. */
async function* withinBytes(source: AsyncIterable<Buffer>, bytesMax: number, tooLarge: () => Error) {
  let sizeBytes = 0
  for await (const chunk of source) {
    sizeBytes += chunk.byteLength
    if (sizeBytes > bytesMax) throw tooLarge()
    yield chunk
  }
}

/**
 * Reads and decompresses a body. Rejects with `HttpFailed` once it exceeds `bytesMax`, compressed or decompressed, or if it is
 * the largest while all bodies together exceed the budget. Gives `Refused` once `inspect` reports a problem. Of a body with a
 * filter only what that keeps is held and counted against the budget, a megabyte at most. A complete body holds its share of the budget until `release`. A stream that is not read to its end is destroyed.
 */
export const readBody = async (
  body: Readable,
  encoding: string | undefined,
  contentLength: string | undefined,
  bytesMax: number,
  host: string,
  budget: ByteBudget,
  inspect: BodyInspector = () => null,
  filter: BodyFilter | null = null,
): Promise<WholeBody | HttpRefused> => {
  const tooLarge = () => httpFailed(host, "too_large", `the body has more than ${bytesMax} bytes`)
  const packing = encoding?.trim().toLowerCase() ?? ""
  const unpacker =
    packing === "" || packing === "identity" ? null : isPacking(packing) ? unpackers[packing]() : undefined
  const refusal =
    contentLength !== undefined && Number(contentLength) > bytesMax
      ? tooLarge()
      : unpacker === undefined
        ? httpFailed(host, "undecodable", "the body has a compression that was not accepted")
        : null
  if (refusal !== null) {
    body.on("error", () => {}).destroy()
    throw refusal
  }
  const bounded = (source: AsyncIterable<Buffer>) => withinBytes(source, bytesMax, tooLarge)
  const overBudget = () =>
    httpFailed(host, "budget_exhausted", "the bodies of all upstreams exceed their budget, and this one is the largest")
  const share = budget.open(() => body.destroy(overBudget()))
  let chunks: Array<Buffer> = []
  let bodyBytes = 0
  const keep = (chunk: Uint8Array) => {
    if (!share.take(chunk.byteLength)) throw overBudget()
    if (chunk.byteLength > 0) chunks.push(Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength))
    bodyBytes += chunk.byteLength
    if (filter !== null && bodyBytes > KEPT_MAX_BYTES)
      throw httpFailed(host, "too_large", `more than ${KEPT_MAX_BYTES} bytes of the body are of use`)
  }
  const filtered = async (source: AsyncIterable<Buffer>, { push, end }: BodyFilter) => {
    for await (const chunk of source) {
      const { kept, isOver } = push(chunk)
      keep(kept)
      if (isOver) throw new BodyOver()
    }
    keep(end())
  }
  const collect = async (source: AsyncIterable<Buffer>) => {
    if (filter !== null) return filtered(source, filter)
    for await (const chunk of source) {
      keep(chunk)
      const problem = inspect(chunk)
      if (problem !== null) throw new BodyRefused({ _tag: "Refused", problem, start: chunks[0] ?? chunk, bodyBytes })
    }
  }
  try {
    if (unpacker) await pipeline(body, bounded, unpacker, bounded, collect)
    else await pipeline(body, bounded, collect)
    share.finish()
    return { _tag: "Whole", bytes: Buffer.concat(chunks), release: share.release }
  } catch (cause) {
    if (cause instanceof BodyOver) {
      share.finish()
      return { _tag: "Whole", bytes: Buffer.concat(chunks), release: share.release }
    }
    share.release()
    if (cause instanceof RangeError) throw httpFailed(host, "undecodable", cause.message)
    if (cause instanceof BodyRefused) return cause.refused
    throw cause
  } finally {
    chunks = []
  }
}

/** The limit of all bodies of upstreams that are read or wait to be decoded. */
const BODIES_MAX_BYTES = 32 * 1024 * 1024
/** A smaller body is never aborted for others. The number of connections bounds how far small ones exceed the budget. */
const SMALL_BYTES = 1024 * 1024
/** A share is released after this time at the latest, in case its body was dropped before it was decoded. */
const HELD_MAX_MS = 60_000

const held = new Gauge({
  name: "tidewire_http_bodies_bytes",
  help: "Bytes of upstream bodies that are being read, or wait to be decoded",
})

/** The share of one body. */
interface BodyShare {
  /** Adds received bytes; false if the budget is exceeded and this body must be aborted. */
  readonly take: (bytes: number) => boolean
  /** Marks the body as complete: it is no longer aborted for others. */
  readonly finish: () => void
  /** Releases the share. Idempotent. */
  readonly release: () => void
}

/** One budget over all bodies that are held at the same time. */
export interface ByteBudget {
  /** Opens the share of a body. `abort` ends its reading if it is the largest while the budget is exceeded. */
  readonly open: (abort: () => void) => BodyShare
}

interface Holder {
  bytes: number
  isWhole: boolean
  readonly abort: () => void
}

/** Makes a budget. When it is exceeded, the largest body is aborted, as hostile bodies are the largest. */
export const makeByteBudget = (bytesMax: number = BODIES_MAX_BYTES, smallBytes: number = SMALL_BYTES): ByteBudget => {
  const holders = new Set<Holder>()
  let used = 0
  const drop = (holder: Holder) => {
    if (!holders.delete(holder)) return
    used -= holder.bytes
    held.set(used)
  }
  const largest = (): Holder | undefined => {
    let most: Holder | undefined
    for (const holder of holders)
      if (!holder.isWhole && holder.bytes > smallBytes && holder.bytes > (most?.bytes ?? 0)) most = holder
    return most
  }
  return {
    open: (abort) => {
      const holder: Holder = { bytes: 0, isWhole: false, abort }
      holders.add(holder)
      let backstop: NodeJS.Timeout | undefined
      const release = () => {
        clearTimeout(backstop)
        drop(holder)
      }
      return {
        take: (bytes) => {
          if (!holders.has(holder)) return false
          holder.bytes += bytes
          used += bytes
          while (used > bytesMax && holder.bytes > smallBytes) {
            const most = largest() ?? holder
            drop(most)
            if (most === holder) return false
            most.abort()
          }
          held.set(used)
          return true
        },
        finish: () => {
          holder.isWhole = true
          backstop = setTimeout(release, HELD_MAX_MS).unref()
        },
        release,
      }
    },
  }
}
