/** Hashes of one exahash, by the prefix of the International System of Units. */
const EXA = 1e18

/**
 * Exahashes a second of hashes a second, which exceed 64 bits and are therefore floats here. Null for what is not above
 * zero: a network that makes blocks hashes.
 */
export const exahashesPerSecond = (hashesPerSecond: number): number | null =>
  Number.isFinite(hashesPerSecond) && hashesPerSecond > 0 ? hashesPerSecond / EXA : null
