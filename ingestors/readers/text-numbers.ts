const DECIMAL = /^[+-]?(\d{1,15}(\.\d{0,15})?|\.\d{1,15})$/

/**
 * The number of a text in decimal notation, without an exponent or separators of thousands; null for any other text, the
 * empty one included.
 */
export const decimalOrNull = (text: string | null | undefined): number | null => {
  const trimmed = text?.trim() ?? ""
  return DECIMAL.test(trimmed) ? Number(trimmed) + 0 : null
}
