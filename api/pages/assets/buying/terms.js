// What the page says about buying, which the browser reads from the page itself: the server makes it of the contract.

/**
 * Where and what to pay.
 * @typedef {object} Sale
 * @property {string} wallet
 * @property {string} contract
 * @property {number} chainId
 * @property {string} chainName
 * @property {Readonly<Record<string, unknown>> | null} addable What `wallet_addEthereumChain` takes; null where unknown.
 */

/**
 * Commands that do the same as a step of the page.
 * @typedef {object} Commands
 * @property {string} quote
 * @property {string} pay
 * @property {string} confirm
 * @property {string} sign
 * @property {string} balance
 * @property {string} revoke
 */

/**
 * @typedef {object} Terms
 * @property {Sale | null} sale Null where nothing is sold.
 * @property {number} creditsPerUsd
 * @property {number} usdMin
 * @property {number} usdMax
 * @property {Readonly<Record<"quote" | "confirm" | "balance" | "history" | "revoke", string>>} paths
 * @property {Commands} commands
 */

/** The element that the page's own part is rendered into. */
export const MOUNT_ID = "buying"

/** The element with the terms as JSON. */
export const TERMS_ID = "buying-terms"

/**
 * The terms of a page; null where it has none.
 * @param {Document} page
 * @returns {Terms | null}
 */
export const termsOf = (page) => {
  const text = page.getElementById(TERMS_ID)?.textContent
  return text ? JSON.parse(text) : null
}
