// What a wallet is asked to sign and what a phone reads from the QR code, made of checked values alone.

const ADDRESS = /^0x[0-9a-fA-F]{40}$/
const WORD = /^0x[0-9a-fA-F]{64}$/
const WORD_DIGITS = 64
const UNITS_MAX = 2n ** 256n - 1n

/** The functions of the token: transfer(address,uint256) and balanceOf(address). */
const TRANSFER = "0xa9059cbb"
const BALANCE_OF = "0x70a08231"

/**
 * Whether a value is an address of the chain.
 * @param {unknown} value
 * @returns {value is string}
 */
export const isAddress = (value) => typeof value === "string" && ADDRESS.test(value)

/**
 * Whether a value is a word of 32 bytes, as the hash of a transaction.
 * @param {unknown} value
 * @returns {value is string}
 */
export const isWord = (value) => typeof value === "string" && WORD.test(value)

/** @param {string} address */
const addressWord = (address) => {
  if (!isAddress(address)) throw new RangeError("not an address of the chain")
  return address.slice(2).toLowerCase().padStart(WORD_DIGITS, "0")
}

/** @param {bigint} units */
const unitsWord = (units) => {
  if (units <= 0n || units > UNITS_MAX) throw new RangeError("not an amount of the token")
  return units.toString(16).padStart(WORD_DIGITS, "0")
}

/**
 * The call of a transfer. The memo's hash stands behind the arguments, where the token does not look and the service does.
 * @param {{readonly wallet: string, readonly units: bigint, readonly memoHash: string}} quote
 */
export const transferCalldata = ({ wallet, units, memoHash }) => {
  if (!isWord(memoHash)) throw new RangeError("not the hash of a memo")
  return `${TRANSFER}${addressWord(wallet)}${unitsWord(units)}${memoHash.slice(2).toLowerCase()}`
}

/**
 * The call that reads an account's units of the token.
 * @param {string} account
 */
export const balanceCalldata = (account) => `${BALANCE_OF}${addressWord(account)}`

/**
 * The number in a word that a call has returned; null where it is none.
 * @param {unknown} value
 */
export const unitsFrom = (value) => (isWord(value) ? BigInt(value) : null)

/**
 * The transfer as an address that wallets open (EIP-681). It holds no hash: the exact amount identifies the quote.
 * @param {{readonly contract: string, readonly chainId: number, readonly wallet: string, readonly units: bigint}} quote
 */
export const transferUri = ({ contract, chainId, wallet, units }) => {
  if (!isAddress(contract) || !isAddress(wallet)) throw new RangeError("not an address of the chain")
  return `ethereum:${contract}@${chainId}/transfer?address=${wallet}&uint256=${units}`
}

/**
 * The id of a chain as wallets write it.
 * @param {number} chainId
 */
export const chainIdText = (chainId) => `0x${chainId.toString(16)}`

/**
 * The id of a chain that a wallet has named; null where it is none.
 * @param {unknown} value
 */
export const chainIdFrom = (value) => {
  if (typeof value === "number") return Number.isSafeInteger(value) ? value : null
  return typeof value === "string" && /^(?:0x[0-9a-fA-F]{1,12}|\d{1,15})$/.test(value) ? Number(value) : null
}
