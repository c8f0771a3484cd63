import { membersOf } from "./quote.js"

// Requests to this service. What they carry is secret, so they go to this origin alone, follow no redirect, and have
// neither cookies nor a referrer. Secrets stand in bodies and headers, never in an address.

/**
 * A reply, or why there is none. `retryAfterMs` is null where the reply asks for no pause.
 * @typedef {{
 *   readonly tag: "reply",
 *   readonly status: number,
 *   readonly body: Readonly<Record<string, unknown>>,
 *   readonly retryAfterMs: number | null,
 *   readonly serverAtMs: number | null,
 * } | { readonly tag: "failed" }} Reply
 */

/**
 * @typedef {(path: string, request?: {readonly body?: object, readonly token?: string}) => Promise<Reply>} Send
 */

const TIMEOUT_MS = 30_000
const BODY_MAX_CHARACTERS = 2_000_000

/** @param {Headers} headers */
const retryAfterOf = (headers) => {
  const seconds = headers.get("retry-after")
  return seconds !== null && /^\d{1,6}$/.test(seconds) ? Number(seconds) * 1000 : null
}

/** @param {Headers} headers */
const serverTimeOf = (headers) => {
  const atMs = Date.parse(headers.get("date") ?? "")
  return Number.isNaN(atMs) ? null : atMs
}

/**
 * Sends a request: a POST where it has a body, else a GET. Never throws: what is no JSON object of this origin is a failure.
 * @type {Send}
 */
export const send = async (path, { body, token } = {}) => {
  try {
    const response = await fetch(path, {
      method: body === undefined ? "GET" : "POST",
      mode: "same-origin",
      redirect: "error",
      credentials: "omit",
      cache: "no-store",
      referrerPolicy: "no-referrer",
      signal: AbortSignal.timeout(TIMEOUT_MS),
      headers: {
        ...(body === undefined ? {} : { "content-type": "application/json" }),
        ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    })
    const text = await response.text()
    const read = text.length > BODY_MAX_CHARACTERS ? null : membersOf(JSON.parse(text))
    if (read === null) return { tag: "failed" }
    const { status, headers } = response
    return {
      tag: "reply",
      status,
      body: read,
      retryAfterMs: retryAfterOf(headers),
      serverAtMs: serverTimeOf(headers),
    }
  } catch {
    // The reason may hold what was sent, and browsers word it differently.
    return { tag: "failed" }
  }
}

/**
 * What a confirm sends.
 * @param {{
 *   readonly txHash: string, readonly memo: string | null, readonly claimKey: string | null,
 *   readonly signature: string | null, readonly signedUntil: string | null, readonly payer: string | null
 * }} claim
 */
export const confirmBody = ({ txHash, memo, claimKey, signature, signedUntil, payer }) => ({
  tx_hash: txHash,
  ...(memo === null ? {} : { nonce: memo }),
  ...(claimKey === null ? {} : { claim_key: claimKey }),
  ...(signature === null ? {} : { signature, signature_until: signedUntil }),
  ...(payer === null ? {} : { payer }),
})
