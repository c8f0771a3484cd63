import { claimAfter, startClaim } from "./claim.js"

// A purchase from the amount to the token. A pure function of events, so that every order of them can be tried; time comes
// in with them.

/** @typedef {import("./quote.js").Quote} Quote */
/** @typedef {import("./claim.js").Claim} Claim */
/** @typedef {import("./claim.js").Credited} Credited */

/**
 * What a wallet is being asked for.
 * @typedef {"connecting" | "switching" | "checking" | "sending"} WalletPhase
 */

/**
 * @typedef {object} WalletRequest
 * @property {number} attempt Names this use of a wallet; what an abandoned one answers is ignored, except for a payment.
 * @property {string} name
 * @property {WalletPhase} phase
 * @property {boolean} handedOverBefore Whether an earlier use may have paid.
 */

/**
 * @typedef {{readonly tag: "amount", readonly asking: number | null, readonly problem: string | null}} AmountState
 * @typedef {{
 *   readonly tag: "paying",
 *   readonly quote: Quote,
 *   readonly wallet: WalletRequest | null,
 *   readonly problem: string | null,
 *   readonly handedOver: boolean,
 * }} PayingState
 * @typedef {{readonly tag: "claiming", readonly quote: Quote, readonly claim: Claim, readonly handedOver: boolean}} ClaimingState
 * @typedef {{readonly tag: "done", readonly txHash: string, readonly credited: Credited}} DoneState
 */

/**
 * `attempts` numbers all that is asked for. `stray` is the transaction of a quote that was forgotten before its wallet
 * answered: its payer gets the token by a signature.
 * @typedef {(AmountState | PayingState | ClaimingState | DoneState) & {
 *   readonly attempts: number, readonly stray: string | null
 * }} State
 */

/**
 * @typedef {{readonly tag: "quoteAsked"}
 *   | {readonly tag: "quoted", readonly attempt: number, readonly quote: Quote}
 *   | {readonly tag: "quoteRefused", readonly attempt: number, readonly problem: string}
 *   | {readonly tag: "walletAsked", readonly name: string, readonly nowMs: number}
 *   | {readonly tag: "walletReached", readonly attempt: number, readonly phase: WalletPhase, readonly nowMs: number}
 *   | {readonly tag: "walletFailed", readonly attempt: number, readonly problem: string, readonly unsent: boolean}
 *   | {readonly tag: "walletLeft"}
 *   | {readonly tag: "paid", readonly memoHash: string, readonly txHash: string}
 *   | {readonly tag: "transactionEntered", readonly txHash: string}
 *   | {readonly tag: "claimLeft"}
 *   | {readonly tag: "restarted"}
 *   | import("./claim.js").ClaimEvent} PurchaseEvent
 */

/**
 * The state at first: that of a stored purchase, else the amount.
 * @param {import("./quote.js").StoredPurchase | null} stored
 * @returns {State}
 */
export const startOf = (stored) => {
  if (stored === null) return { tag: "amount", asking: null, problem: null, attempts: 0, stray: null }
  const { quote, txHash, handedOver } = stored
  if (txHash === null)
    return { tag: "paying", quote, wallet: null, problem: null, handedOver, attempts: 0, stray: null }
  const claim = startClaim({ txHash, memo: quote.memo, attempt: 1 })
  return { tag: "claiming", quote, claim, handedOver, attempts: 1, stray: null }
}

/**
 * What the tab keeps of a state; null for nothing.
 * @param {State} state
 * @returns {import("./quote.js").StoredPurchase | null}
 */
export const storedOf = (state) => {
  if (state.tag === "paying") return { quote: state.quote, txHash: null, handedOver: state.handedOver }
  if (state.tag !== "claiming") return null
  return { quote: state.quote, txHash: state.claim.txHash, handedOver: state.handedOver }
}

/**
 * Whether a quote can be paid now.
 * @param {Quote} quote
 * @param {number} nowMs
 */
export const isOpen = (quote, nowMs) => nowMs < quote.expiresAtMs

/**
 * @param {PayingState & State} state
 * @param {string} txHash
 * @returns {State}
 */
const claiming = ({ quote, handedOver, attempts, stray }, txHash) => {
  const attempt = attempts + 1
  const claim = startClaim({ txHash, memo: quote.memo, attempt })
  return { tag: "claiming", quote, claim, handedOver, attempts: attempt, stray }
}

/**
 * @param {PayingState & State} state
 * @param {PurchaseEvent} event
 * @returns {State}
 */
const whilePaying = (state, event) => {
  const { quote, wallet, attempts } = state
  switch (event.tag) {
    case "walletAsked": {
      if (wallet !== null || !isOpen(quote, event.nowMs)) return state
      const attempt = attempts + 1
      const asked = { attempt, name: event.name, phase: "connecting", handedOverBefore: state.handedOver }
      return { ...state, wallet: /** @type {WalletRequest} */ (asked), problem: null, attempts: attempt }
    }
    case "walletReached": {
      if (wallet?.attempt !== event.attempt) return state
      if (!isOpen(quote, event.nowMs))
        return { ...state, wallet: null, problem: "The quote has expired before the payment was sent." }
      const handedOver = state.handedOver || event.phase === "sending"
      return { ...state, wallet: { ...wallet, phase: event.phase }, handedOver }
    }
    case "walletFailed":
      if (wallet?.attempt !== event.attempt) return state
      return {
        ...state,
        wallet: null,
        problem: event.problem,
        handedOver: event.unsent ? wallet.handedOverBefore : state.handedOver,
      }
    case "walletLeft":
      return wallet === null ? state : { ...state, wallet: null }
    case "transactionEntered":
      return claiming(state, event.txHash)
    case "restarted":
      return { tag: "amount", asking: null, problem: null, attempts, stray: state.stray }
    default:
      return state
  }
}

/**
 * @param {ClaimingState & State} state
 * @param {PurchaseEvent} event
 * @returns {State}
 */
const whileClaiming = (state, event) => {
  const { quote, claim, attempts, stray, handedOver } = state
  switch (event.tag) {
    case "claimReplied":
    case "claimDue":
    case "claimSigned": {
      const next = claimAfter(claim, event)
      if (next === claim) return state
      if (next.step.tag === "credited")
        return { tag: "done", txHash: next.txHash, credited: next.step.credited, attempts, stray }
      return { ...state, claim: next, attempts: Math.max(attempts, next.attempt) }
    }
    case "claimLeft": {
      const unpaid = claim.step.tag === "refused" && claim.step.unpaid
      return { tag: "paying", quote, wallet: null, problem: null, handedOver: handedOver && !unpaid, attempts, stray }
    }
    default:
      return state
  }
}

/**
 * A payment that a wallet has sent is never overlooked: not after its quote has expired, nor after its wallet was left.
 * @param {State} state
 * @param {{readonly memoHash: string, readonly txHash: string}} paid
 * @returns {State}
 */
const afterPayment = (state, { memoHash, txHash }) => {
  if (state.tag === "paying" && state.quote.memoHash === memoHash) return claiming(state, txHash)
  const isClaimed =
    (state.tag === "claiming" && state.claim.txHash === txHash) || (state.tag === "done" && state.txHash === txHash)
  return isClaimed ? state : { ...state, stray: txHash }
}

/**
 * The state after an event; the same object where the event does not concern it.
 * @param {State} state
 * @param {PurchaseEvent} event
 * @returns {State}
 */
export const stateAfter = (state, event) => {
  if (event.tag === "paid") return afterPayment(state, event)
  switch (state.tag) {
    case "amount":
      if (event.tag === "quoteAsked" && state.asking === null)
        return { ...state, asking: state.attempts + 1, problem: null, attempts: state.attempts + 1 }
      if (event.tag === "quoteRefused" && event.attempt === state.asking)
        return { ...state, asking: null, problem: event.problem }
      if (event.tag === "quoted" && event.attempt === state.asking) {
        const { attempts, stray } = state
        return { tag: "paying", quote: event.quote, wallet: null, problem: null, handedOver: false, attempts, stray }
      }
      return state
    case "paying":
      return whilePaying(state, event)
    case "claiming":
      return whileClaiming(state, event)
    case "done":
      return event.tag === "restarted"
        ? { tag: "amount", asking: null, problem: null, attempts: state.attempts, stray: null }
        : state
  }
}
