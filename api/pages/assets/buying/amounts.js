// Amounts are integers all the way: cents of dollars, and units of the token, which are millionths of a dollar.

const UNITS_PER_CENT = 10_000n
const CENTS_PER_USD = 100n
const DECIMALS = 6

/**
 * The cents of an amount as people write it, with a point or a comma before at most 2 decimals; null where it is none.
 * @param {string} text
 */
export const centsOf = (text) => {
  const [, dollars, fraction = ""] = /^(\d{1,9})(?:[.,](\d{1,2}))?$/.exec(text.trim()) ?? []
  return dollars === undefined ? null : BigInt(dollars) * CENTS_PER_USD + BigInt(fraction.padEnd(2, "0"))
}

/**
 * @param {bigint} amount
 * @param {number} decimals
 */
const decimalText = (amount, decimals) => {
  const digits = String(amount).padStart(decimals + 1, "0")
  return `${digits.slice(0, -decimals)}.${digits.slice(-decimals)}`
}

/**
 * Dollars with 2 decimals.
 * @param {bigint} cents
 */
export const textOfCents = (cents) => decimalText(cents, 2)

/**
 * Dollars with 6 decimals, as exact as the token counts.
 * @param {bigint} units
 */
export const textOfUnits = (units) => decimalText(units, DECIMALS)

/**
 * The credits that an amount buys.
 * @param {bigint} cents
 * @param {number} creditsPerUsd
 */
export const creditsOf = (cents, creditsPerUsd) => (cents * BigInt(creditsPerUsd)) / CENTS_PER_USD

/**
 * Whether a quoted amount is the asked one with a fraction of a cent at most beside it.
 * @param {bigint} units
 * @param {bigint} cents
 */
export const isQuotedFor = (units, cents) => units / UNITS_PER_CENT === cents

/**
 * The asked amount, or what is wrong with it.
 * @param {string} text
 * @param {{readonly usdMin: number, readonly usdMax: number}} terms
 * @returns {{readonly cents: bigint} | {readonly problem: string}}
 */
export const askedAmount = (text, { usdMin, usdMax }) => {
  const cents = centsOf(text)
  if (cents === null) return { problem: "Enter dollars with at most 2 decimals, as 5 or 12.50." }
  return BigInt(usdMin) * CENTS_PER_USD <= cents && cents <= BigInt(usdMax) * CENTS_PER_USD
    ? { cents }
    : { problem: `Between ${usdMin} and ${usdMax.toLocaleString("en-US")} USD.` }
}
