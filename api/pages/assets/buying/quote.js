import { isQuotedFor } from "./amounts.js"
import { isAddress, isWord } from "./calldata.js"

// A quote as the page holds it, and its text in the storage of the tab, where it survives a reload.

/**
 * @typedef {object} Quote
 * @property {string} memo The secret that claims the purchase. It is never shown, logged or put into an address.
 * @property {string} memoHash
 * @property {bigint} units
 * @property {number} credits
 * @property {string} wallet
 * @property {string} contract
 * @property {number} chainId
 * @property {"amount" | "signature"} proof
 * @property {number} expiresAtMs By the clock of this browser.
 */

const MEMO = /^tw_buy_[0-9a-f]{32}$/
const UNITS = /^[1-9]\d{0,15}$/

/**
 * Whether a text has the form of a memo.
 * @param {unknown} value
 * @returns {value is string}
 */
export const isMemo = (value) => typeof value === "string" && MEMO.test(value)

/**
 * An object with unknown members; null where it is none.
 * @param {unknown} value
 * @returns {Readonly<Record<string, unknown>> | null}
 */
export const membersOf = (value) =>
  typeof value === "object" && value !== null && !Array.isArray(value)
    ? /** @type {Readonly<Record<string, unknown>>} */ (value)
    : null

/**
 * A quote of members that are checked one by one; null where one of them is not as it must be.
 * @param {Readonly<Record<keyof Quote, unknown>>} members
 * @returns {Quote | null}
 */
const checked = ({ memo, memoHash, units, credits, wallet, contract, chainId, proof, expiresAtMs }) =>
  isMemo(memo) &&
  isWord(memoHash) &&
  typeof units === "string" &&
  UNITS.test(units) &&
  typeof credits === "number" &&
  Number.isSafeInteger(credits) &&
  isAddress(wallet) &&
  isAddress(contract) &&
  typeof chainId === "number" &&
  Number.isSafeInteger(chainId) &&
  (proof === "amount" || proof === "signature") &&
  typeof expiresAtMs === "number" &&
  Number.isFinite(expiresAtMs)
    ? { memo, memoHash, units: BigInt(units), credits, wallet, contract, chainId, proof, expiresAtMs }
    : null

/**
 * The quote of a reply to an amount; null where it is unreadable or does not fit the amount. Its end is put on this
 * browser's clock, which may be wrong: the reply says what time it is at the service.
 * @param {unknown} body
 * @param {{readonly cents: bigint, readonly nowMs: number, readonly serverAtMs: number | null}} asked
 */
export const quoteFrom = (body, { cents, nowMs, serverAtMs }) => {
  const outer = membersOf(body)
  const inner = membersOf(outer?.quote)
  if (outer === null || inner === null || typeof outer.expires_at !== "string") return null
  const quote = checked({
    memo: outer.memo,
    wallet: outer.wallet,
    memoHash: inner.memo_hash,
    units: inner.amount_units,
    credits: inner.credits,
    contract: inner.token_contract,
    chainId: inner.chain_id,
    proof: inner.proof,
    expiresAtMs: nowMs + Date.parse(outer.expires_at) - (serverAtMs ?? nowMs),
  })
  return quote !== null && isQuotedFor(quote.units, cents) ? quote : null
}

/**
 * Whether a quote asks for a payment to where the page says that payments go.
 * @param {Quote} quote
 * @param {import("./terms.js").Sale} sale
 */
export const fitsSale = (quote, sale) =>
  quote.wallet === sale.wallet && quote.contract === sale.contract && quote.chainId === sale.chainId

/**
 * @typedef {object} StoredPurchase
 * @property {Quote} quote
 * @property {string | null} txHash
 * @property {boolean} handedOver Whether a wallet was asked to pay and has not refused.
 */

/**
 * The text of a purchase for the tab's storage.
 * @param {StoredPurchase} purchase
 */
export const storedText = ({ quote, txHash, handedOver }) =>
  JSON.stringify({ ...quote, units: String(quote.units), txHash, handedOver })

/**
 * The purchase of a stored text; null where there is none, or where it is unreadable.
 * @param {string | null} text
 * @returns {StoredPurchase | null}
 */
export const purchaseFrom = (text) => {
  if (text === null) return null
  /** @type {unknown} */
  let value
  try {
    value = JSON.parse(text)
  } catch {
    return null
  }
  const members = membersOf(value)
  const quote = members === null ? null : checked(/** @type {Record<keyof Quote, unknown>} */ (members))
  if (members === null || quote === null) return null
  return { quote, txHash: isWord(members.txHash) ? members.txHash : null, handedOver: members.handedOver === true }
}
