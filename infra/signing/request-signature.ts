import { createHash, createHmac, timingSafeEqual } from "node:crypto"

// Signed requests between processes: what is signed, how it stands in the header, and whether it holds. Pure: times,
// nonces and secrets come in as values. Who accepts a request also decides about its time and its nonce.

/** How far the time of a request may be from the receiver's, in milliseconds. */
export const SIGNATURE_WINDOW_MS = 60_000

const SCHEME = "Tidewire-HMAC-SHA256"
/** First line of the signed text: another form of it gets another name. */
const FORM = "tidewire-request-v1"
const FIELD = /^[A-Za-z0-9._-]{1,128}$/u
const TIME = /^[1-9]\d{0,15}$/u
const HEX_256 = /^[0-9a-f]{64}$/u
/** Longer than any header of ours: what is longer is not even taken apart. */
const HEADER_CHARACTERS_MAX = 1_024
const HEADER = new RegExp(
  `^${SCHEME} time=([^,]+), nonce=([^,]+), receiver=([^,]+), body=([^,]+), signature=([^,]+)$`,
  "u",
)

/** What a request is, beside what its header states. */
export interface RequestIdentity {
  /** Which of several edges of a process it is meant for: a signature for one is of no use at another. */
  readonly edge: string
  readonly method: string
  /** Path and query, as sent. */
  readonly path: string
}

/** What the header of a request states. */
export interface SignedFacts {
  /** Milliseconds since the epoch, by the sender's clock. */
  readonly atMs: number
  /** Used once with a secret: 1 to 128 letters, digits and . _ - */
  readonly nonce: string
  /** Names the receiver that gave out this id, so that no other process takes the request; `-` where none is asked for. */
  readonly receiver: string
  /** SHA-256 of the body, as hex. */
  readonly bodyHash: string
}

/** What a header states, and the signature under it. */
export interface SignedHeader extends SignedFacts {
  readonly signature: string
}

/** SHA-256 of a body, as hex. */
export const bodyHashOf = (body: string | Uint8Array): string => createHash("sha256").update(body).digest("hex")

/** The text that is signed: one line for each part, none of which can hold a line feed. */
export const signedText = ({ edge, method, path }: RequestIdentity, stated: SignedFacts): string =>
  [FORM, edge, method, path, stated.bodyHash, String(stated.atMs), stated.nonce, stated.receiver].join("\n")

const macOf = (secret: string, text: string): Buffer => createHmac("sha256", secret).update(text).digest()

/** The value of the header `authorization` of a signed request. */
export const signRequest = (secret: string, identity: RequestIdentity, stated: SignedFacts): string => {
  const { atMs, nonce, receiver, bodyHash } = stated
  const signature = macOf(secret, signedText(identity, stated)).toString("hex")
  return `${SCHEME} time=${atMs}, nonce=${nonce}, receiver=${receiver}, body=${bodyHash}, signature=${signature}`
}

/** Takes a header apart; null where it is none of ours. Nothing in it is believed yet. */
export const readSignature = (header: string | undefined): SignedHeader | null => {
  if (header === undefined || header.length > HEADER_CHARACTERS_MAX) return null
  const [, time = "", nonce = "", receiver = "", bodyHash = "", signature = ""] = HEADER.exec(header) ?? []
  const isWhole =
    TIME.test(time) && FIELD.test(nonce) && FIELD.test(receiver) && HEX_256.test(bodyHash) && HEX_256.test(signature)
  return isWhole ? { atMs: Number(time), nonce, receiver, bodyHash, signature } : null
}

/**
 * Whether one of the secrets has signed this. All of them are tried and each comparison takes the same time, so that the
 * time says nothing. More than one is accepted while a secret is exchanged for another.
 */
export const isSignedBy = (
  secrets: ReadonlyArray<string>,
  identity: RequestIdentity,
  { signature, ...stated }: SignedHeader,
): boolean => {
  const text = signedText(identity, stated)
  const shown = Buffer.from(signature, "hex")
  let holds = false
  for (const secret of secrets) if (timingSafeEqual(macOf(secret, text), shown)) holds = true
  return holds
}

/** Whether the time of a request is near enough to the receiver's. */
export const isFresh = ({ atMs }: SignedFacts, nowMs: number): boolean => Math.abs(nowMs - atMs) <= SIGNATURE_WINDOW_MS
