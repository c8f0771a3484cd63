import { createHmac, type KeyObject, randomBytes } from "node:crypto"
import { existsSync } from "node:fs"
import { join } from "node:path"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { newReceiptKey, type ReceiptKeys, readReceiptKey, receiptKeysOf } from "../../ledger/receipts/keys.ts"
import type { TokenKeys } from "../../ledger/token.ts"
import { makeSecret, openSecretFolder, readSecret, SecretFileProblem, secretNames } from "./files.ts"

/** A secret is missing or unusable. `where` is the variable or the file; the message contains none of its content. */
export class SecretsUnusable extends Schema.TaggedError<SecretsUnusable>()("SecretsUnusable", {
  where: Schema.String,
  problem: Schema.String,
}) {
  override get message() {
    return `secret ${this.where}: ${this.problem}`
  }
}

/** The secrets of billing. */
export interface Secrets {
  readonly tokenKeys: TokenKeys
  readonly receiptKeys: ReceiptKeys
  /** Key of the hash under which the ledger counts the address prefix of a client. */
  readonly clientKey: Uint8Array
}

/** Sources of secrets: a variable that is set overrides the folder `secrets` in `directory`, which may be missing. */
export interface SecretsOptions {
  /** DATA_DIR, held by this process; null if nothing may be stored on disk. */
  readonly directory: string | null
  readonly environment: Readonly<Record<string, string | undefined>>
}

const KEY_MIN_BYTES = 32
const HEX_KEY = /^(?:[0-9a-fA-F]{2}){32,64}$/u
const KID = /^[A-Za-z0-9._-]{1,64}$/u
/** Keys of one kind. */
const KEYS_MAX = 256

/** One text of a secret, and where it was found. */
interface SecretText {
  readonly where: string
  readonly text: string
}

const folderOf = (directory: string): string => join(directory, "secrets")

/** The names of a kind of key in the environment and in the folder. */
interface SecretKind {
  readonly variable: string
  /** `token` for `token-1.key`, `token-2.key`; the highest number is the newest. */
  readonly stem: string
  readonly make: () => string
}

const kinds = {
  token: { variable: "TOKEN_KEYS", stem: "token", make: () => randomBytes(KEY_MIN_BYTES).toString("hex") },
  receipt: { variable: "RECEIPT_KEYS", stem: "receipt", make: newReceiptKey },
  client: { variable: "CLIENT_HASH_KEY", stem: "client", make: () => randomBytes(KEY_MIN_BYTES).toString("hex") },
} as const satisfies Record<string, SecretKind>

const inFolder = (folder: string, { stem, make }: SecretKind, makeFirst: boolean): ReadonlyArray<SecretText> => {
  const form = new RegExp(`^${stem}-([1-9][0-9]{0,8})\\.key$`, "u")
  const numbered = () =>
    secretNames(folder)
      .filter((name) => name.startsWith(`${stem}-`))
      .map((name) => ({ where: join(folder, name), number: Number(form.exec(name)?.[1] ?? Number.NaN) }))
      .sort((one, other) => other.number - one.number)
  if (makeFirst && numbered().length === 0) makeSecret(join(folder, `${stem}-1.key`), make())
  return numbered().map(({ where, number }) => {
    // A key under a name that is not read would seem to be in use.
    if (Number.isNaN(number))
      throw new SecretsUnusable({ where, problem: `a key of this kind is called ${stem}-<number>.key` })
    return { where, text: readSecret(where) }
  })
}

/** All keys of a kind as text, the newest first; empty without variable and file, unless `makeFirst`. */
const findAll = (
  kind: SecretKind,
  { directory, environment }: SecretsOptions,
  makeFirst: boolean,
): ReadonlyArray<SecretText> => {
  const value = environment[kind.variable]?.trim() ?? ""
  const found =
    value !== ""
      ? value.split(",").map((text) => ({ where: kind.variable, text: text.trim() }))
      : directory === null
        ? []
        : inFolder(folderOf(directory), kind, makeFirst)
  if (found.length > KEYS_MAX)
    throw new SecretsUnusable({ where: kind.variable, problem: `there are more than ${KEYS_MAX} keys` })
  return found
}

/** Like `findAll`, but creates the first key in the folder if there is none, and fails without any. */
const needAll = (kind: SecretKind, options: SecretsOptions): readonly [SecretText, ...ReadonlyArray<SecretText>] => {
  const [first, ...rest] = findAll(kind, options, true)
  if (first === undefined)
    throw new SecretsUnusable({
      where: kind.variable,
      problem: "it is not set, and this process stores nothing on disk",
    })
  return [first, ...rest]
}

/** The name of an unnamed key: it identifies the key and reveals nothing of it. */
const kidOf = (key: Uint8Array): string =>
  createHmac("sha256", key).update("tidewire/token-key/v1").digest("hex").slice(0, 16)

const hexKeyOf = ({ where }: SecretText, text: string): Uint8Array => {
  if (!HEX_KEY.test(text))
    throw new SecretsUnusable({ where, problem: "a key is written as 64 to 128 hex digits (32 to 64 bytes)" })
  return Buffer.from(text, "hex")
}

const tokenKeysOf = (all: ReadonlyArray<SecretText>): TokenKeys => {
  const keys = new Map<string, Uint8Array>()
  for (const found of all) {
    const at = found.text.indexOf(":")
    const key = hexKeyOf(found, found.text.slice(at + 1))
    const kid = at < 0 ? kidOf(key) : found.text.slice(0, at)
    if (!KID.test(kid))
      throw new SecretsUnusable({
        where: found.where,
        problem: "the name of a key has letters, digits, . _ - (1 to 64)",
      })
    if (keys.has(kid)) throw new SecretsUnusable({ where: found.where, problem: "two keys have the same name" })
    keys.set(kid, key)
  }
  const [current = ""] = keys.keys()
  return { current, keys }
}

const receiptKeyOf = ({ where, text }: SecretText): KeyObject => {
  // In a variable, the lines of a PEM may stand as \n.
  const key = readReceiptKey(text.replaceAll("\\n", "\n"))
  if (key === null)
    throw new SecretsUnusable({ where, problem: "this is no Ed25519 key (PEM, or 32 bytes as base64url)" })
  return key
}

const attempt = <A>(act: () => A): Effect.Effect<A, SecretsUnusable> =>
  Effect.suspend(() => {
    try {
      return Effect.succeed(act())
    } catch (cause) {
      if (cause instanceof SecretsUnusable) return Effect.fail(cause)
      if (cause instanceof SecretFileProblem)
        return Effect.fail(new SecretsUnusable({ where: cause.path, problem: cause.message }))
      return Effect.die(cause)
    }
  })

/**
 * Loads the secrets: each kind from its variable, else from the folder `secrets` in DATA_DIR, where the first start creates
 * the first key of each kind. See README.md beside this file for names, forms and rotation.
 */
export const loadSecrets = (options: SecretsOptions): Effect.Effect<Secrets, SecretsUnusable> =>
  attempt(() => {
    if (options.directory !== null) openSecretFolder(folderOf(options.directory))
    const receipts = needAll(kinds.receipt, options)
    const receiptKeys = receiptKeysOf(receipts.map(receiptKeyOf))
    if (receiptKeys === null)
      throw new SecretsUnusable({ where: receipts[0].where, problem: "the key that signs must be a private one" })
    const tokenKeys = tokenKeysOf(needAll(kinds.token, options))
    const [client] = needAll(kinds.client, options)
    return { tokenKeys, receiptKeys, clientKey: hexKeyOf(client, client.text) }
  })

/** Loads the token keys alone, for commands that derive a token. */
export const loadTokenKeys = (options: SecretsOptions): Effect.Effect<TokenKeys, SecretsUnusable> =>
  attempt(() => {
    if (options.directory !== null) openSecretFolder(folderOf(options.directory))
    return tokenKeysOf(needAll(kinds.token, options))
  })

/** Loads the existing receipt keys for verification, and creates none. Empty without any. */
export const findReceiptKeys = (options: SecretsOptions): Effect.Effect<ReadonlyArray<KeyObject>, SecretsUnusable> =>
  attempt(() => {
    const directory = options.directory !== null && existsSync(folderOf(options.directory)) ? options.directory : null
    return findAll(kinds.receipt, { ...options, directory }, false).map(receiptKeyOf)
  })
