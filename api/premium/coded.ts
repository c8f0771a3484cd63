import { promisify } from "node:util"
import zlib from "node:zlib"
import { type Coding, chooseCoding } from "../http/representation.ts"

/** Compressing smaller bodies costs more than it saves. */
const COMPRESSED_BYTES_MIN = 1_024
/** Bodies that are compressed at the same time; beyond it they are sent uncompressed, so that no call waits for others. */
const COMPRESSING_MAX = 8
/** Low levels, as each body is compressed for a single reply. */
const GZIP_LEVEL = 4
const BROTLI_QUALITY = 3

const gzip = promisify<zlib.InputType, zlib.ZlibOptions, Buffer>(zlib.gzip)
const brotli = promisify<zlib.InputType, zlib.BrotliOptions, Buffer>(zlib.brotliCompress)

/** A body in the coding in which it is sent. */
export interface EncodedBody {
  readonly coding: Coding
  readonly bytes: Buffer
}

/**
 * Makes the encoder of bodies into the coding that the caller prefers, on other threads. A receipt signs the uncompressed
 * body, so that a coding does not affect it.
 */
export const makeBodyEncoder = (): ((body: Buffer, acceptEncoding: string | undefined) => Promise<EncodedBody>) => {
  let compressing = 0
  return async (body, acceptEncoding) => {
    const plain: EncodedBody = { coding: "identity", bytes: body }
    const coding = body.length < COMPRESSED_BYTES_MIN ? "identity" : chooseCoding(acceptEncoding)
    if (coding === "identity" || compressing >= COMPRESSING_MAX) return plain
    compressing += 1
    try {
      const bytes =
        coding === "gzip"
          ? await gzip(body, { level: GZIP_LEVEL })
          : await brotli(body, {
              params: {
                [zlib.constants.BROTLI_PARAM_MODE]: zlib.constants.BROTLI_MODE_TEXT,
                [zlib.constants.BROTLI_PARAM_QUALITY]: BROTLI_QUALITY,
                [zlib.constants.BROTLI_PARAM_SIZE_HINT]: body.length,
              },
            })
      return bytes.length < body.length ? { coding, bytes } : plain
    } finally {
      compressing -= 1
    }
  }
}
