/** Length of a day; days of the ledger are those of UTC. */
export const DAY_MS = 24 * 60 * 60_000

/** The day of an instant, counted since the epoch. */
export const dayOf = (atMs: number): number => Math.floor(atMs / DAY_MS)
