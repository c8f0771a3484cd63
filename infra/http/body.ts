import type { Readable } from "node:stream"
import { pipeline } from "node:stream/promises"
import { createBrotliDecompress, createGunzip, createInflate } from "node:zlib"
import type { BodyInspector, HttpRefused } from "../../ingestors/http-client.port.ts"
import type { ByteBudget } from "./byte-budget.ts"
import { httpFailed } from "./failure.ts"

/** The packings that are asked for. */
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
  /** Gives back its share of the budget. */
  readonly release: () => void
}

/** Carries a refusal out of the stream, which it destroys. */
class BodyRefused {
  readonly refused: HttpRefused
  constructor(refused: HttpRefused) {
    this.refused = refused
  }
}

/**
 * Reads a body whole, unpacked, and rejects with `HttpFailed` as soon as it is known to be longer than `bytesMax`, packed
 * or unpacked, or as the largest when all bodies together exceed their budget; ends with `Refused` as soon as `inspect`
 * names a problem. The share of a whole body in the budget is held until `release`. The stream is destroyed whenever it is
 * not read to its end.
 */
export const readBody = async (
  body: Readable,
  encoding: string | undefined,
  contentLength: string | undefined,
  bytesMax: number,
  host: string,
  budget: ByteBudget,
  inspect: BodyInspector = () => null,
): Promise<WholeBody | HttpRefused> => {
  const tooLarge = () => httpFailed(host, "too_large", `the body has more than ${bytesMax} bytes`)
  const packing = encoding?.trim().toLowerCase() ?? ""
  const unpacker =
    packing === "" || packing === "identity" ? null : isPacking(packing) ? unpackers[packing]() : undefined
  const refusal =
    contentLength !== undefined && Number(contentLength) > bytesMax
      ? tooLarge()
      : unpacker === undefined
        ? httpFailed(host, "undecodable", "the body is packed in a way that was not asked for")
        : null
  if (refusal !== null) {
    body.on("error", () => {}).destroy()
    throw refusal
  }
  const bounded = async function* (source: AsyncIterable<Buffer>) {
    let sizeBytes = 0
    for await (const chunk of source) {
      sizeBytes += chunk.byteLength
      if (sizeBytes > bytesMax) throw tooLarge()
      yield chunk
    }
  }
  const crowded = () =>
    httpFailed(
      host,
      "budget_exhausted",
      "the bodies of all upstreams together are too large now, and this one is the largest",
    )
  const share = budget.open(() => body.destroy(crowded()))
  let chunks: Array<Buffer> = []
  let bodyBytes = 0
  const collect = async (source: AsyncIterable<Buffer>) => {
    for await (const chunk of source) {
      if (!share.take(chunk.byteLength)) throw crowded()
      chunks.push(chunk)
      bodyBytes += chunk.byteLength
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
    share.release()
    if (cause instanceof BodyRefused) return cause.refused
    throw cause
  } finally {
    chunks = []
  }
}
