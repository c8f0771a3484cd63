/**
 * The share that a call counts against. `daily`: the day's share of its client for free data. `minute`: the client's share
 * by the minute for all that it needs when the day's is used up (catalog, documents, keys, refusals, errors). `receipts`,
 * `payments`, `confirms`: shares of their own by the minute, as such calls cost more. `token`: the minute of its bearer
 * token. `never`: what a monitor must reach at any time.
 */
export const countedWords = ["daily", "minute", "receipts", "payments", "confirms", "token", "never"] as const
export type Counted = (typeof countedWords)[number]

/** Whether replies show what is left of the share. */
export const showsShare = (counted: Counted): boolean =>
  counted === "daily" || counted === "minute" || counted === "receipts" || counted === "token"
