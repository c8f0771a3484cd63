import { isObject } from "./json.ts"
import { type KeySet, type ReceiptRequest, type ReceiptVerdict, verifyReceipt } from "./receipt.ts"

const isKeySet = (value: unknown): value is KeySet =>
  isObject(value) && Array.isArray(value.keys) && value.keys.every(isObject)

/** The keys that receipts are verified with: pinned, or read from the service when the first receipt comes. */
export class KeyRing {
  readonly #isPinned: boolean
  #keys: KeySet | null

  constructor(pinned: KeySet | undefined) {
    this.#isPinned = pinned !== undefined
    this.#keys = pinned ?? null
  }

  /** Verifies a reply. Keys are read again once for a receipt of an unknown key, as keys are rotated. */
  async verify(
    signed: { readonly reply: unknown; readonly request: ReceiptRequest },
    read: () => Promise<unknown>,
  ): Promise<ReceiptVerdict> {
    const known = this.#keys
    const verdict = await verifyReceipt({ ...signed, keys: known ?? (await this.#renewed(read)) })
    const mayBeNew = verdict.problem === "unknown_key" && known !== null && !this.#isPinned
    return mayBeNew ? verifyReceipt({ ...signed, keys: await this.#renewed(read) }) : verdict
  }

  async #renewed(read: () => Promise<unknown>): Promise<KeySet> {
    const value = await read()
    if (!isKeySet(value)) throw new TypeError("the service has no key set")
    this.#keys = value
    return value
  }
}
