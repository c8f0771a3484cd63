import { isClaimKey } from "./claim.js"

// Claim keys of this browser, by the transaction that each one claims. A payer signs the hash of such a key, and the token is
// given for the signature together with the key: so the key is kept before anything is signed, and longer than the tab.

/** @typedef {Pick<Storage, "getItem" | "setItem">} KeyStorage */

export const CLAIM_KEYS = "tidewire.claim-keys"
/** Keys that are kept: the newest. */
const KEYS_MAX = 50
const KEY_BYTES = 32

/**
 * The kept keys, the oldest first; what is unreadable is left out.
 * @param {KeyStorage} storage
 * @returns {ReadonlyArray<readonly [string, string]>}
 */
const keptIn = (storage) => {
  try {
    /** @type {unknown} */
    const value = JSON.parse(storage.getItem(CLAIM_KEYS) ?? "[]")
    return Array.isArray(value)
      ? value.flatMap((row) =>
          Array.isArray(row) && typeof row[0] === "string" && isClaimKey(row[1]) ? [[row[0], row[1]]] : [],
        )
      : []
  } catch {
    return []
  }
}

const newKey = () =>
  `tw_claim_${[...crypto.getRandomValues(new Uint8Array(KEY_BYTES))].map((byte) => byte.toString(16).padStart(2, "0")).join("")}`

/**
 * The claim key for a transaction, which is kept from now on: the one that is typed in, else the stored one, else a new
 * one. If the browser stores nothing, it is used for this claim and shown with the token.
 * @param {KeyStorage} storage
 * @param {string} txHash
 * @param {string | null} typed
 */
export const claimKeyFor = (storage, txHash, typed) => {
  const kept = keptIn(storage)
  const key = typed ?? kept.find(([hash]) => hash === txHash)?.[1] ?? newKey()
  const rows = [...kept.filter(([hash]) => hash !== txHash), [txHash, key]].slice(-KEYS_MAX)
  try {
    storage.setItem(CLAIM_KEYS, JSON.stringify(rows))
  } catch {
    // The key is shown with the token, to be saved there.
  }
  return key
}
