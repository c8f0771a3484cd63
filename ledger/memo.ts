import { keccak_256 } from "@noble/hashes/sha3.js"

/** Random bytes in a memo. */
export const MEMO_BYTES = 16
const MEMO = /^tw_buy_[0-9a-f]{32}$/u

/**
 * The memo of a quote: `tw_buy_` and 32 hex digits. A bearer secret: it claims the purchase. Throws a `RangeError` unless
 * `randomBytes` has `MEMO_BYTES` bytes.
 */
export const makeMemo = (randomBytes: Uint8Array): string => {
  if (randomBytes.length !== MEMO_BYTES) throw new RangeError(`a memo is made of ${MEMO_BYTES} random bytes`)
  return `tw_buy_${Buffer.from(randomBytes).toString("hex")}`
}

/** Whether a text has the form of a memo. */
export const isMemo = (text: string): boolean => MEMO.test(text)

/** The public form of a memo, also on the chain: keccak-256 of its UTF-8 text, `0x` and 64 lower-case hex digits. */
export const memoHashOf = (memo: string): string => `0x${Buffer.from(keccak_256(Buffer.from(memo))).toString("hex")}`
