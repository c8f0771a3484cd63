/**
 * The share that a call counts against. `daily`: the client's share of a day, for free data. `minute`: the client's share of
 * a minute, for calls that must still work when the daily share is used up (catalog, documents, keys, refusals, errors).
 * `pages`: that of pages for people and of what they load, one of which takes a dozen requests.
 * `receipts`, `payments`, `confirms`: separate shares of a minute, as such calls cost more. `token`: the share of a minute of
 * the bearer token. `never`: none, for monitors.
 */
export const countedWords = ["daily", "minute", "pages", "receipts", "payments", "confirms", "token", "never"] as const
export type Counted = (typeof countedWords)[number]

/** Whether replies show the rest of the share (`RateLimit`). */
export const showsShare = (counted: Counted): boolean =>
  counted === "daily" || counted === "minute" || counted === "pages" || counted === "receipts" || counted === "token"
