import { createHash, createHmac, timingSafeEqual } from "node:crypto"

// Signed requests between processes: the signed text, its header, and its verification. Pure: times, nonces and secrets are
// passed in. The receiver also checks that the time is fresh and the nonce unused.

/** How far the time of a request may be from the receiver's, in milliseconds. */
export const SIGNATURE_WINDOW_MS = 60_000

const SCHEME = "Tidewire-HMAC-SHA256"
/** First line of the signed text; changed with its format. */
const FORM = "tidewire-request-v1"
const FIELD = /^[A-Za-z0-9._-]{1,128}$/u
const TIME = /^[1-9]\d{0,15}$/u
const HEX_256 = /^[0-9a-f]{64}$/u
/** Longer than any valid header: longer ones are not parsed. */
const HEADER_MAX_CHARACTERS = 1_024
const HEADER = new RegExp(
  `^${SCHEME} time=([^,]+), nonce=([^,]+), receiver=([^,]+), body=([^,]+), signature=([^,]+)$`,
  "u",
)

/** Longer than any path of an edge: a longer one is not hashed, so that checking a signature has a bounded cost. */
export const SIGNED_PATH_MAX_CHARACTERS = 512

/** The parts of a request that are signed and not in its header. */
export interface RequestIdentity {
  /** The edge that it is meant for: a signature for one edge is void at another. */
  readonly edge: string
  readonly method: string
  /** Path and query, as sent. */
  readonly path: string
}

/** The signed facts in the header of a request. */
export interface SignedFacts {
  /** Milliseconds since the epoch, by the sender's clock. */
  readonly atMs: number
  /** Used once with a secret: 1 to 128 letters, digits and . _ - */
  readonly nonce: string
  /** The id of the receiver, so that no other process accepts the request; `-` while it is unknown. */
  readonly receiver: string
  /** SHA-256 of the body, as hex. */
  readonly bodyHash: string
}

/** The signed facts of a header, and their signature. */
export interface SignedHeader extends SignedFacts {
  readonly signature: string
}

/** SHA-256 of a body, as hex. */
export const bodyHashOf = (body: string | Uint8Array): string => createHash("sha256").update(body).digest("hex")

/** The text that is signed: one line for each part, none of which can hold a line feed. */
const signedText = ({ edge, method, path }: RequestIdentity, stated: SignedFacts): string =>
  [FORM, edge, method, path, stated.bodyHash, String(stated.atMs), stated.nonce, stated.receiver].join("\n")

const macOf = (secret: string, text: string): Buffer => createHmac("sha256", secret).update(text).digest()

/** The value of the header `authorization` of a signed request. */
export const signRequest = (secret: string, identity: RequestIdentity, stated: SignedFacts): string => {
  const { atMs, nonce, receiver, bodyHash } = stated
  const signature = macOf(secret, signedText(identity, stated)).toString("hex")
  return `${SCHEME} time=${atMs}, nonce=${nonce}, receiver=${receiver}, body=${bodyHash}, signature=${signature}`
}

/** Parses a header; null if it has another form. Nothing in it is verified yet. */
export const readSignature = (header: string | undefined): SignedHeader | null => {
  if (header === undefined || header.length > HEADER_MAX_CHARACTERS) return null
  const [, time = "", nonce = "", receiver = "", bodyHash = "", signature = ""] = HEADER.exec(header) ?? []
  const isWhole =
    TIME.test(time) && FIELD.test(nonce) && FIELD.test(receiver) && HEX_256.test(bodyHash) && HEX_256.test(signature)
  return isWhole ? { atMs: Number(time), nonce, receiver, bodyHash, signature } : null
}

/**
 * Whether one of the secrets made this signature. All of them are tried, in constant time, so that timing leaks nothing. More
 * than one is accepted during a rotation.
 */
export const isSignedBy = (
  secrets: ReadonlyArray<string>,
  identity: RequestIdentity,
  { signature, ...stated }: SignedHeader,
): boolean => {
  if (identity.path.length > SIGNED_PATH_MAX_CHARACTERS) return false
  const text = signedText(identity, stated)
  const shown = Buffer.from(signature, "hex")
  let holds = false
  for (const secret of secrets) if (timingSafeEqual(macOf(secret, text), shown)) holds = true
  return holds
}

/** Whether the time of a request is within the window around the receiver's. */
export const isFresh = ({ atMs }: SignedFacts, nowMs: number): boolean => Math.abs(nowMs - atMs) <= SIGNATURE_WINDOW_MS
