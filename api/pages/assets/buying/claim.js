import { cleanText } from "./text.js"

// The claim of a payment: confirmed again and again until it is credited or refused. A pure function of events; time comes
// in with them.

/**
 * What a confirm has credited.
 * @typedef {object} Credited
 * @property {string} token
 * @property {number} credits
 * @property {number} balance
 * @property {boolean} provisional
 */

/**
 * asking: a confirm is under way. waiting: the next one is due at an instant. proof: the paying wallet has to sign a text;
 * `problem` says why an earlier signature was refused.
 * @typedef {{readonly tag: "asking"}
 *   | {readonly tag: "waiting", readonly untilMs: number, readonly why: Depth | null}
 *   | {readonly tag: "proof", readonly text: string, readonly until: string, readonly problem: string | null}
 *   | {readonly tag: "refused", readonly message: string, readonly unpaid: boolean}
 *   | {readonly tag: "credited", readonly credited: Credited}} ClaimStep
 */

/**
 * How deep the payment is in the chain.
 * @typedef {{readonly confirmations: number, readonly required: number | "safe"}} Depth
 */

/**
 * @typedef {object} Claim
 * @property {string} txHash
 * @property {string | null} memo Null once credited: it is needed no more.
 * @property {string | null} claimKey Where the credits go without a memo; with the token it is shown to be kept.
 * @property {string | null} signature
 * @property {string | null} signedUntil The day that the signed text names.
 * @property {string | null} payer
 * @property {number} attempt Names the confirm that is under way; a reply to another one is ignored.
 * @property {number} failures Confirms in a row that the service did not answer.
 * @property {Depth | null} depth The last one that was said.
 * @property {ClaimStep} step
 */

/**
 * @typedef {{readonly tag: "claimReplied", readonly attempt: number, readonly reply: import("./service.js").Reply, readonly nowMs: number}
 *   | {readonly tag: "claimDue", readonly attempt: number}
 *   | {readonly tag: "claimSigned", readonly signature: string, readonly payer: string | null}} ClaimEvent
 */

const TOKEN = /^svc_live_[0-9a-f]{64}$/
const CLAIM_KEY = /^tw_claim_[0-9a-f]{64}$/
const MESSAGE_MAX_CHARACTERS = 600
const TEXT_MAX_CHARACTERS = 2_000
const DAY_CHARACTERS = 10
const FAILURES_MAX = 40
const PAUSE_MS = 2_000
const PAUSE_MAX_MS = 60_000

/**
 * Whether a text has the form of a token.
 * @param {string} text
 */
export const isToken = (text) => TOKEN.test(text)

/**
 * Whether a value has the form of a claim key.
 * @param {unknown} value
 * @returns {value is string}
 */
export const isClaimKey = (value) => typeof value === "string" && CLAIM_KEY.test(value)

/**
 * Begins a claim, with its first confirm.
 * @param {{
 *   readonly txHash: string, readonly memo: string | null, readonly claimKey?: string | null, readonly attempt: number
 * }} facts
 * @returns {Claim}
 */
export const startClaim = ({ txHash, memo, claimKey = null, attempt }) => ({
  txHash,
  memo,
  claimKey,
  signature: null,
  signedUntil: null,
  payer: null,
  attempt,
  failures: 0,
  depth: null,
  step: { tag: "asking" },
})

/** @param {Readonly<Record<string, unknown>>} body @returns {Credited | null} */
const creditedOf = ({ token, credits, balance, provisional }) =>
  typeof token === "string" && isToken(token) && typeof credits === "number" && typeof balance === "number"
    ? { token, credits, balance, provisional: provisional === true }
    : null

/** @param {Readonly<Record<string, unknown>>} body @returns {Depth | null} */
const depthOf = ({ confirmations, required }) =>
  typeof confirmations === "number" && (typeof required === "number" || required === "safe")
    ? { confirmations, required }
    : null

/**
 * @param {Claim} claim
 * @param {number} nowMs
 * @param {number | null} retryAfterMs
 * @returns {Claim}
 */
const unanswered = (claim, nowMs, retryAfterMs) => {
  const failures = claim.failures + 1
  if (failures > FAILURES_MAX)
    return {
      ...claim,
      step: {
        tag: "refused",
        message: "The service does not answer. Your payment is not lost: try again later.",
        unpaid: false,
      },
    }
  const pauseMs = retryAfterMs ?? Math.min(PAUSE_MAX_MS, PAUSE_MS * 2 ** Math.min(failures - 1, 10))
  return { ...claim, failures, step: { tag: "waiting", untilMs: nowMs + pauseMs, why: null } }
}

/**
 * @param {Claim} claim
 * @param {import("./service.js").Reply} reply
 * @param {number} nowMs
 * @returns {Claim}
 */
const replied = (claim, reply, nowMs) => {
  if (reply.tag === "failed") return unanswered(claim, nowMs, null)
  const { status, body, retryAfterMs } = reply
  const message = cleanText(body.message, MESSAGE_MAX_CHARACTERS) || `The service answered with status ${status}.`
  if (status === 200) {
    const credited = creditedOf(body)
    if (credited === null) return unanswered(claim, nowMs, null)
    return { ...claim, memo: null, signature: null, step: { tag: "credited", credited } }
  }
  if (status === 202) {
    const depth = depthOf(body)
    const step = /** @type {const} */ ({ tag: "waiting", untilMs: nowMs + (retryAfterMs ?? PAUSE_MS), why: depth })
    return { ...claim, failures: 0, depth, step }
  }
  if (status === 429 && body.error === "token_allowance_spent")
    return { ...claim, failures: 0, step: { tag: "refused", message, unpaid: false } }
  if (status === 429 || status >= 500) return unanswered(claim, nowMs, retryAfterMs)
  if (status === 409 && body.error === "payer_proof_required") {
    const text = cleanText(body.text_to_sign, TEXT_MAX_CHARACTERS)
    const until = cleanText(body.signature_until, DAY_CHARACTERS)
    // The signed text must name this claim.
    if (text.includes(claim.txHash.toLowerCase()) && text.includes(until) && text === body.text_to_sign)
      return {
        ...claim,
        failures: 0,
        signature: null,
        signedUntil: null,
        step: { tag: "proof", text, until, problem: claim.signature === null ? null : message },
      }
  }
  const unpaid = status === 402 && (body.reason === "failed_transaction" || body.reason === "no_payment")
  return { ...claim, failures: 0, step: { tag: "refused", message, unpaid } }
}

/**
 * The claim after an event; the same object where the event does not concern it.
 * @param {Claim} claim
 * @param {ClaimEvent} event
 * @returns {Claim}
 */
export const claimAfter = (claim, event) => {
  const { step } = claim
  const { tag } = step
  switch (event.tag) {
    case "claimReplied":
      return tag === "asking" && event.attempt === claim.attempt ? replied(claim, event.reply, event.nowMs) : claim
    case "claimDue":
      return tag === "waiting" && event.attempt === claim.attempt
        ? { ...claim, attempt: claim.attempt + 1, step: { tag: "asking" } }
        : claim
    case "claimSigned":
      return step.tag === "proof"
        ? {
            ...claim,
            signature: event.signature,
            signedUntil: step.until,
            payer: event.payer,
            attempt: claim.attempt + 1,
            step: { tag: "asking" },
          }
        : claim
  }
}
