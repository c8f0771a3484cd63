import type { Hex } from "./claim.ts"

/** `transfer(address,uint256)` of ERC-20. */
const TRANSFER_SELECTOR = "a9059cbb"
const ADDRESS = /^0x([0-9a-fA-F]{40})$/
const WORD = /^0x([0-9a-fA-F]{64})$/
const WORD_DIGITS = 64
const UINT256_MAX = 2n ** 256n - 1n

const digitsOf = (pattern: RegExp, text: string, what: string): string => {
  const digits = pattern.exec(text)?.[1]
  if (digits === undefined) throw new TypeError(`${what} is not well-formed`)
  return digits.toLowerCase()
}

/**
 * The calldata of an ERC-20 transfer with the hash of a memo behind its arguments, where the token does not look and the
 * service does. Throws a `TypeError` for an address, an amount or a hash that is not well-formed.
 */
export const transferCalldata = (recipient: string, units: bigint, memoHash: string): Hex => {
  if (units <= 0n || units > UINT256_MAX) throw new TypeError("the amount is not well-formed")
  const arguments_ = [digitsOf(ADDRESS, recipient, "the recipient"), units.toString(16)]
  const words = [
    ...arguments_.map((digits) => digits.padStart(WORD_DIGITS, "0")),
    digitsOf(WORD, memoHash, "the memo's hash"),
  ]
  return `0x${TRANSFER_SELECTOR}${words.join("")}`
}
