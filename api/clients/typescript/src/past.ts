import { isObject } from "./json.ts"
import type { Sent } from "./sent.ts"

// Replies of the past (`at`).

/** `at` that names another instant at each call. */
const NOW = "now"

/** Whether a premium call is paid once a day without an Idempotency-Key: it asks for the reply of one instant. */
export const isPaidOnce = ({ parameters }: Sent): boolean => typeof parameters?.at === "string" && parameters.at !== NOW

/** The query that a receipt names: that of the request; of a past reply with its instant in the place of `at`. */
export const queryOfReceipt = (
  query: Readonly<Record<string, string>>,
  body: unknown,
): Readonly<Record<string, string>> => {
  const past = "at" in query && isObject(body) && isObject(body._meta) ? body._meta.at : undefined
  return isObject(past) && typeof past.known_at === "string" ? { ...query, at: past.known_at } : query
}
