import { randomBytes } from "node:crypto"
import { type Dispatcher, request } from "undici"
import { bodyHashOf, signRequest } from "./request-signature.ts"

const NONCE_BYTES = 16
/** Sent while the receiver id is unknown: the request is refused, and the refusal contains the id. */
const NO_RECEIVER = "-"
/** A receiver may change its id between two attempts. */
const TRIES_MAX = 3
const RECEIVER = /"receiver":"([A-Za-z0-9_-]{1,128})"/u

/** A reply to a signed request. */
interface SignedReply {
  readonly status: number
  readonly text: string
}

/** Sends signed requests to processes, and remembers the receiver id of each address. */
export interface SignedClient {
  readonly post: (asked: {
    /** Address of the process. */
    readonly url: string
    readonly path: string
    readonly body: string
    readonly replyBytesMax: number
    readonly signal: AbortSignal
  }) => Promise<SignedReply>
}

const boundedText = async (body: AsyncIterable<Buffer>, bytesMax: number): Promise<string> => {
  const chunks: Array<Buffer> = []
  let length = 0
  for await (const chunk of body) {
    length += chunk.length
    if (length > bytesMax) throw new Error("the reply is larger than its limit")
    chunks.push(chunk)
  }
  return Buffer.concat(chunks).toString()
}

/**
 * Makes a client of one edge. `secret` is the current one. After a refusal with another receiver id, the request is signed
 * again for that id: nothing was carried out.
 */
export const makeSignedClient = (options: {
  readonly edge: string
  readonly secret: string
  readonly dispatcher: Dispatcher
  readonly nowMs?: () => number
}): SignedClient => {
  const { edge, secret, dispatcher, nowMs = Date.now } = options
  const receivers = new Map<string, string>()
  const post: SignedClient["post"] = async ({ url, path, body, replyBytesMax, signal }) => {
    const bodyHash = bodyHashOf(body)
    for (let tried = 1; ; tried++) {
      const receiver = receivers.get(url) ?? NO_RECEIVER
      const nonce = randomBytes(NONCE_BYTES).toString("base64url")
      const stated = { atMs: nowMs(), nonce, receiver, bodyHash }
      // The first request to a process only fetches its id, so it has no body that could be read on the way.
      const reply = await request(new URL(path, url), {
        method: "POST",
        dispatcher,
        signal,
        headers: {
          "content-type": "application/json",
          authorization: signRequest(secret, { edge, method: "POST", path }, stated),
        },
        body: receiver === NO_RECEIVER ? "" : body,
      })
      const text = await boundedText(reply.body, replyBytesMax)
      const named = reply.statusCode === 401 ? RECEIVER.exec(text)?.[1] : undefined
      if (named !== undefined) receivers.set(url, named)
      if (named === undefined || named === receiver || tried === TRIES_MAX) return { status: reply.statusCode, text }
    }
  }
  return { post }
}
