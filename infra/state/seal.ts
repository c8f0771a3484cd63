import { createHmac, createSecretKey, type KeyObject } from "node:crypto"
import type { RowKey } from "../../ledger/state-store.port.ts"

// The digest of a store is the XOR of the HMACs of its rows, each over table, key and text, so that a write changes it by the
// old and the new text of its rows alone. A key occurs once in a table: no two rows cancel each other out. The digest is
// kept in memory and never written: on disk stands the seal, an HMAC over digest and head. So it takes the key to make a seal
// for other rows, and rows of one moment do not fit the head of another. A tag for each row alone would accept old rows.

const HASH_BYTES = 32
const HASH_WORDS = HASH_BYTES / 4

/** What the key is derived for. Raised with the form of rows and seals. */
const PURPOSE = "tidewire/ledger-state/v1"

/** The key of digest and seal, with a name that reveals nothing of it. */
export interface SealKey {
  readonly name: string
  readonly key: KeyObject
}

const mac = (key: KeyObject, text: string): Buffer => createHmac("sha256", key).update(text).digest()

const sealKeyOf = (secret: string): SealKey => {
  const key = createSecretKey(createHmac("sha256", secret).update(PURPOSE).digest())
  return { name: mac(key, "name").toString("hex", 0, 8), key }
}

/** The keys of secrets, the newest first. Without any it is a public one, which finds damage alone. */
export const sealKeysOf = (secrets: ReadonlyArray<string>): readonly [SealKey, ...ReadonlyArray<SealKey>] => {
  const [first = "", ...others] = secrets
  return [sealKeyOf(first), ...others.map(sealKeyOf)]
}

/** The HMAC of a row. */
export const hashOfRow = ({ key }: SealKey, table: string, place: RowKey, text: string): Buffer =>
  mac(key, `row/${table}/${place}/${text}`)

/** The HMACs of all rows, combined. */
export type Digest = Int32Array

/** The digest of a store without rows. */
export const emptyDigest = (): Digest => new Int32Array(HASH_WORDS)

/** Adds a row to a digest, or, as XOR is its own inverse, takes it away. */
export const toggle = (digest: Digest, hash: Buffer): void => {
  for (let word = 0; word < HASH_WORDS; word++) digest[word] = (digest[word] ?? 0) ^ hash.readInt32LE(4 * word)
}

/** The seal of a head and the digest of its rows, in hex. */
export const sealOf = ({ key }: SealKey, digest: Digest, head: string): string =>
  mac(key, `seal/${Buffer.from(digest.buffer).toString("hex")}/${head}`).toString("hex")
