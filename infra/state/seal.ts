import { createHmac, hash } from "node:crypto"
import type { RowKey } from "../../ledger/state-store.port.ts"

// The digest of a store is the XOR of the keyed hashes of its rows, each over table, key and text, so that a write changes it
// by the old and the new text of its rows alone. A key occurs once in a table: no two rows cancel each other out. On disk
// stands the seal, an HMAC over digest and head. So it takes the key to make a seal for other rows, and rows of one moment do
// not fit the head of another. A tag for each row alone would accept old rows.
// The hash of a row is the inner hash of HMAC: SHA-256 over a block of key and a message that states its length. Digest and
// hashes stay in memory, so the outer hash, which protects a published tag, would only double the cost.

/** 32 bits each. */
const HASH_WORDS = 8

/** What the key is derived for. Raised with the form of rows and seals. */
const PURPOSE = "tidewire/ledger-state/v1"

/** The key of digest and seal, as hex digits, with a name that reveals nothing of it. */
export interface SealKey {
  readonly name: string
  /** For rows: one block of SHA-256. */
  readonly rows: string
  readonly seal: string
}

const mac = (key: string, text: string): string => createHmac("sha256", key).update(text).digest("hex")

const sealKeyOf = (secret: string): SealKey => {
  const key = mac(secret, PURPOSE)
  return { name: mac(key, "name").slice(0, 16), rows: mac(key, "rows"), seal: mac(key, "seal") }
}

/** The keys of secrets, the newest first. Without any it is a public one, which finds damage alone. */
export const sealKeysOf = (secrets: ReadonlyArray<string>): readonly [SealKey, ...ReadonlyArray<SealKey>] => {
  const [first = "", ...others] = secrets
  return [sealKeyOf(first), ...others.map(sealKeyOf)]
}

/** The keyed hash of a row. */
export const hashOfRow = ({ rows }: SealKey, table: string, place: RowKey, text: string): Buffer =>
  hash("sha256", `${rows}${table}/${place}/${text.length}/${text}`, "buffer")

/** The hashes of all rows, combined. */
export type Digest = Int32Array

/** The digest of a store without rows. */
export const emptyDigest = (): Digest => new Int32Array(HASH_WORDS)

/** Adds a row to a digest, or, as XOR is its own inverse, takes it away. */
export const toggle = (digest: Digest, hash: Buffer): void => {
  for (let word = 0; word < HASH_WORDS; word++) digest[word] = (digest[word] ?? 0) ^ hash.readInt32LE(4 * word)
}

/** The seal of a head and the digest of its rows, in hex. */
export const sealOf = ({ seal }: SealKey, digest: Digest, head: string): string =>
  mac(seal, `${Buffer.from(digest.buffer).toString("hex")}/${head}`)
