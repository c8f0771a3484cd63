import { runClaims } from "./claim-runner.js"
import { startOf, stateAfter, storedOf } from "./purchase.js"
import { fitsSale, purchaseFrom, quoteFrom, storedText } from "./quote.js"
import { cleanText } from "./text.js"
import { payByWallet, WalletProblem } from "./wallet-calls.js"

// Runs the purchase of a tab: the requests, wallet calls and storage that its states require.

/** @typedef {import("./purchase.js").State} State */
/** @typedef {import("./purchase.js").PurchaseEvent} PurchaseEvent */

/**
 * What a purchase needs of the browser.
 * @typedef {object} Surroundings
 * @property {import("./terms.js").Terms & {readonly sale: import("./terms.js").Sale}} terms
 * @property {import("./service.js").Send} send
 * @property {Pick<Storage, "getItem" | "setItem" | "removeItem">} storage That of the tab.
 * @property {() => number} nowMs
 * @property {(run: () => void, pauseMs: number) => () => void} later Runs once after a pause; the result cancels it.
 */

/** Where the tab keeps a purchase that is not credited yet. */
export const STORAGE_KEY = "tidewire.purchase"

const MESSAGE_MAX_CHARACTERS = 600
const DROPPED =
  "The quote of this tab asked for a payment to another wallet, chain or token than this page does now, so it was dropped. " +
  "If you have paid it, get its credits by a signature of the paying wallet, under “Lost token”."

/** @param {import("./service.js").Reply} reply */
const refusalText = (reply) => {
  if (reply.tag === "failed") return "The service does not answer. Try again."
  const message = cleanText(reply.body.message, MESSAGE_MAX_CHARACTERS)
  const pauseSeconds = reply.retryAfterMs === null ? null : Math.ceil(reply.retryAfterMs / 1000)
  return `${message || "There is no quote now."}${pauseSeconds === null ? "" : ` In ${pauseSeconds} s you can ask again.`}`
}

/**
 * Opens the purchase of a tab, which goes on where it was before a reload.
 * @param {Surroundings} surroundings
 */
export const openBuyer = ({ terms, send, storage, nowMs, later }) => {
  const { sale, paths } = terms

  /** Whether the storage holds what it should: without it a reload forgets the purchase. */
  let isStored = true
  /** @param {State} state */
  const store = (state) => {
    const purchase = storedOf(state)
    try {
      if (purchase === null) storage.removeItem(STORAGE_KEY)
      else storage.setItem(STORAGE_KEY, storedText(purchase))
      isStored = true
    } catch {
      isStored = false
    }
  }
  const restore = () => {
    try {
      return purchaseFrom(storage.getItem(STORAGE_KEY))
    } catch {
      return null
    }
  }

  /**
   * A quote that an earlier page has stored is not paid if the wallet of the sale has changed; what was paid is still claimed.
   * @param {State} of
   * @returns {State}
   */
  const payable = (of) =>
    of.tag === "paying" && !fitsSale(of.quote, sale)
      ? { tag: "amount", asking: null, problem: DROPPED, attempts: of.attempts, stray: of.stray }
      : of

  let state = payable(startOf(restore()))
  store(state)
  /** @type {Set<() => void>} */
  const listeners = new Set()
  /** @param {PurchaseEvent} event */
  const dispatch = (event) => {
    const next = payable(stateAfter(state, event))
    if (next === state) return
    state = next
    // Stored first: the next request may be the one that pays.
    store(state)
    follow(claimOf(state))
    for (const listener of listeners) listener()
  }
  /** @param {State} of */
  const claimOf = (of) => (of.tag === "claiming" ? of.claim : null)
  const follow = runClaims({ send, path: paths.confirm, nowMs, later }, dispatch)

  return {
    state: () => state,
    isStored: () => isStored,
    /** Starts what a restored state waits for. */
    start: () => follow(claimOf(state)),
    dispatch,
    /** @param {() => void} listener */
    subscribe: (listener) => {
      listeners.add(listener)
      return () => void listeners.delete(listener)
    },

    /** @param {bigint} cents */
    askQuote: async (cents) => {
      dispatch({ tag: "quoteAsked" })
      if (state.tag !== "amount" || state.asking === null) return
      const attempt = state.asking
      // A number of at most 2 decimals and 9 digits is exact as JSON.
      const reply = await send(paths.quote, { body: { amount_usd: Number(cents) / 100 } })
      if (reply.tag === "failed" || reply.status !== 200)
        return dispatch({ tag: "quoteRefused", attempt, problem: refusalText(reply) })
      const quote = quoteFrom(reply.body, { cents, nowMs: nowMs(), serverAtMs: reply.serverAtMs })
      if (quote === null)
        return dispatch({ tag: "quoteRefused", attempt, problem: "The quote of the service is unreadable." })
      if (!fitsSale(quote, sale))
        return dispatch({
          tag: "quoteRefused",
          attempt,
          problem: "The service takes payments elsewhere now: load this page again.",
        })
      dispatch({ tag: "quoted", attempt, quote })
    },

    /** @param {import("./wallets.js").Wallet} wallet */
    pay: async ({ name, provider }) => {
      dispatch({ tag: "walletAsked", name, nowMs: nowMs() })
      if (state.tag !== "paying" || state.wallet === null || state.wallet.phase !== "connecting") return
      const { quote, wallet } = state
      const { attempt } = wallet
      /** @param {import("./purchase.js").WalletPhase} phase */
      const reach = (phase) => {
        dispatch({ tag: "walletReached", attempt, phase, nowMs: nowMs() })
        return state.tag === "paying" && state.wallet?.attempt === attempt
      }
      try {
        const txHash = await payByWallet(provider, quote, sale, reach)
        if (txHash !== null) dispatch({ tag: "paid", memoHash: quote.memoHash, txHash })
      } catch (problem) {
        const isKnown = problem instanceof WalletProblem
        dispatch({
          tag: "walletFailed",
          attempt,
          problem: isKnown ? problem.message : "The payment could not be made.",
          unsent: isKnown && problem.unsent,
        })
      }
    },
  }
}

/** @typedef {ReturnType<typeof openBuyer>} Buyer */
