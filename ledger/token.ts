import { createHmac, hash } from "node:crypto"
import { canonicalJson } from "../schemas/json.ts"
import type { TokenCandidate, TokenWanted } from "./command.ts"

/** The secret keys of tokens by their `kid`. New tokens are made with the current one, old ones can be made again. */
export interface TokenKeys {
  /** The `kid` of the key for new tokens. */
  readonly current: string
  readonly keys: ReadonlyMap<string, Uint8Array>
}

/** Domain separation: no other use of a key has a text with this prefix. */
const DOMAIN = "tidewire/token/v1"
const TOKEN = /^svc_live_[0-9a-f]{64}$/u
/** The scheme of RFC 6750 in any case, and something behind it. */
const BEARER_CREDENTIAL = /^bearer[ \t]+[^ \t]/iu
/** The scheme, one space or more, and a text without spaces. */
const BEARER = /^bearer +([^ ]+) *$/iu

/**
 * The token that belongs to a claimant, an origin and a generation: `svc_live_` and 64 hex digits. Always the same one for
 * the same key, so that it is stored nowhere. Null if there is no key of this `kid`. The text below the HMAC is the
 * RFC 8785 form of `["tidewire/token/v1", claimant, origin, generation]`: no two of them are spelled alike.
 */
export const makeToken = (keys: TokenKeys, kid: string, wanted: TokenWanted): string | null => {
  const key = keys.keys.get(kid)
  if (key === undefined) return null
  const text = canonicalJson([DOMAIN, wanted.claimant, wanted.origin, wanted.generation])
  return `svc_live_${createHmac("sha256", key).update(text).digest("hex")}`
}

/** Whether a text has the form of a token. */
export const isToken = (text: string): boolean => TOKEN.test(text)

/** The form in which the ledger stores a token: SHA-256 of its text, 64 hex digits. The timing of a look-up by hash leaks nothing. */
export const tokenHashOf = (token: string): string => hash("sha256", token, "hex")

/**
 * The token of an `Authorization` header. `missing`: it holds no Bearer credential (no header, another scheme, an empty
 * credential, a token without its scheme); `malformed`: it holds one that has not the form of a token.
 */
export const bearerOf = (authorization: string | undefined): { readonly token: string } | "missing" | "malformed" => {
  if (authorization === undefined || !BEARER_CREDENTIAL.test(authorization)) return "missing"
  const token = BEARER.exec(authorization)?.[1]
  return token !== undefined && isToken(token) ? { token } : "malformed"
}

/** Whether a candidate is the wanted token. */
export const fits = (candidate: TokenCandidate | null, wanted: TokenWanted): candidate is TokenCandidate =>
  candidate !== null &&
  candidate.claimant === wanted.claimant &&
  candidate.origin === wanted.origin &&
  candidate.generation === wanted.generation
