// Texts of others, as of wallets and of replies, before they are shown. They are shown as text nodes alone.

/**
 * One line of bounded length, without invisible characters, as those that turn the direction of writing; empty where it is
 * no text.
 * @param {unknown} value
 * @param {number} charactersMax
 */
export const cleanText = (value, charactersMax) => {
  if (typeof value !== "string") return ""
  // The bound comes first: a hostile text may be megabytes long.
  const line = value.slice(0, charactersMax * 8).replace(/[\p{Cc}\p{Cf}\p{Co}\p{Cs}\s]+/gu, " ")
  return [...line.trim()].slice(0, charactersMax).join("")
}

/** An address or a hash of the chain with its middle left out, for places that have little room.
 * @param {string} hex
 */
export const shortHex = (hex) => (hex.length <= 14 ? hex : `${hex.slice(0, 8)}…${hex.slice(-6)}`)

/**
 * Minutes and seconds.
 * @param {number} durationMs
 */
export const clockText = (durationMs) => {
  const seconds = Math.max(0, Math.floor(durationMs / 1000))
  return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, "0")}`
}
