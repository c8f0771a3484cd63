import { hash } from "node:crypto"

/** Visible ASCII, 1 to 255 characters. Without spaces, so that two headers joined by ", " are invalid. */
const KEY = /^[\x21-\x7e]{1,255}$/u

/** SHA-256 of an Idempotency-Key; null where none was sent; `invalid` for one that is not 1 to 255 visible characters. */
export const readKey = (
  header: string | ReadonlyArray<string> | undefined,
): { readonly hash: string } | null | "invalid" => {
  if (header === undefined) return null
  if (typeof header !== "string" || !KEY.test(header)) return "invalid"
  return { hash: hash("sha256", header, "hex") }
}
