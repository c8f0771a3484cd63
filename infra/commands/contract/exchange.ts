import { request } from "undici"
import type { ReceivedReply } from "../../../schemas/contract/conformance.ts"

/** What is asked of an installation. */
export interface Request {
  readonly method?: ReceivedReply["method"]
  /** With its query. */
  readonly path: string
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string
  /** Ends the reply after its first piece: a stream has no other end. */
  readonly isStream?: boolean
}

/** Asks an installation; throws an error with a message for people where there is no reply. */
export type Ask = (request: Request) => Promise<ReceivedReply>

/** The longest wait for a reply, with its body. */
const REPLY_MAX_MS = 30_000
/** The largest body that is read. */
const BODY_MAX_BYTES = 64 * 1024 * 1024
/** Replies that say to come back later are believed so often, and so long. */
const WAITS_MAX = 5
const WAIT_MAX_SECONDS = 60
/** Requests at the same time. */
const CONCURRENCY = 4

const textOf = async (body: AsyncIterable<Uint8Array>, isStream: boolean): Promise<string> => {
  const pieces: Array<Uint8Array> = []
  let bytes = 0
  for await (const piece of body) {
    pieces.push(piece)
    bytes += piece.length
    if (bytes > BODY_MAX_BYTES) throw new Error(`its body exceeds ${BODY_MAX_BYTES} bytes`)
    // Leaving the loop ends the connection.
    if (isStream) break
  }
  return Buffer.concat(pieces).toString("utf8")
}

// Not `fetch`, which adds "Cache-Control: no-cache" to a request with an entity tag.
const ask = async (
  base: string,
  { method = "GET", path, headers, body, isStream = false }: Request,
): Promise<ReceivedReply> => {
  const reply = await request(new URL(path, base), {
    method,
    headers: { ...(body === undefined ? {} : { "content-type": "application/json" }), ...headers },
    signal: AbortSignal.timeout(REPLY_MAX_MS),
    ...(body === undefined ? {} : { body }),
  })
  const received = Object.entries(reply.headers).map(([name, value]) => [name, String(value)] as const)
  return {
    method,
    status: reply.statusCode,
    headers: Object.fromEntries(received),
    text: await textOf(reply.body, isStream),
  }
}

/** Refusals that say when to ask again. */
const REPEATED = /"error":"(rate_limited|past_unavailable|changes_unavailable|billing_unavailable)"/

const secondsToWait = ({ headers, text }: ReceivedReply): number | null => {
  const seconds = Number(headers["retry-after"])
  return REPEATED.test(text) && seconds > 0 && seconds <= WAIT_MAX_SECONDS ? seconds : null
}

/**
 * Makes the function that asks an installation, a few requests at the same time. A refusal that says when to ask again, as that of
 * a share which is used up, is waited out.
 */
export const makeAsk = (base: string): Ask => {
  const waiting: Array<() => void> = []
  let running = 0
  const inTurn = async <A>(run: () => Promise<A>): Promise<A> => {
    if (running >= CONCURRENCY) await new Promise<void>((resolve) => waiting.push(resolve))
    running += 1
    try {
      return await run()
    } finally {
      running -= 1
      waiting.shift()?.()
    }
  }
  return (asked) =>
    inTurn(async () => {
      for (let waits = 0; ; waits++) {
        const reply = await ask(base, asked)
        const seconds = secondsToWait(reply)
        if (seconds === null || waits === WAITS_MAX) return reply
        await new Promise((resolve) => setTimeout(resolve, seconds * 1000))
      }
    })
}
