import { createPrivateKey, type KeyObject } from "node:crypto"
import fc from "fast-check"
import { requestHashOf, responseHashOf } from "../format.ts"
import { newReceiptKey, type ReceiptKeys, receiptKeysOf } from "../keys.ts"
import { openReceipts } from "../receipts.ts"
import type { ReceiptClaims, ReceiptVerdict } from "../verify.ts"

/** Keys of which the first one, a private one, signs. */
export const keysOf = (...keys: ReadonlyArray<KeyObject>): ReceiptKeys => {
  const found = receiptKeysOf(keys)
  if (found === null) throw new Error("the first key must be private")
  return found
}

/** A new private key. */
export const newKey = (): KeyObject => createPrivateKey(newReceiptKey())

/** The key of `receipts`. */
export const signingKey = newKey()
/** Signs and verifies with one key. */
export const receipts = await openReceipts(keysOf(signingKey), { issuer: "https://tidewire.example" })

/** What a receipt of a reply with this body states, unless a test changes it. */
export const claimsFor = (body: object): ReceiptClaims => ({
  endpoint: "/api/pro/briefing",
  requestHash: requestHashOf("GET", "/api/pro/briefing", { history: "24h" }),
  responseHash: responseHashOf(body),
  credits: 1,
  reason: null,
  atMs: Date.parse("2026-11-21T16:00:00.123Z"),
  entry: { accountSequence: 17, hash: "ab".repeat(32) },
})

/** Any JSON object as a text makes it: half surrogate pairs cannot be served. */
export const anyBody = fc
  .dictionary(fc.string({ unit: "grapheme" }), fc.jsonValue({ stringUnit: "grapheme", maxDepth: 4 }))
  .map((body): Record<string, unknown> => JSON.parse(JSON.stringify(body)))
  .filter((body) => JSON.stringify(body).isWellFormed())

/** The verdict on an invalid receipt. */
export const refusal = (reason: ReceiptVerdict["reason"]): ReceiptVerdict => ({
  valid: false,
  reason,
  claims: null,
  body: "not_given",
})
