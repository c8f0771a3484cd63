import { readFileSync, statSync } from "node:fs"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { type JsonLimits, jsonProblemWords, readIJson } from "../../ledger/receipts/i-json.ts"
import { publicJwkOf } from "../../ledger/receipts/keys.ts"
import {
  findReceipt,
  makeVerifier,
  type ReceiptProblem,
  type ReceiptVerdict,
  type SentReceipt,
  verifySent,
} from "../../ledger/receipts/verify.ts"
import { instant } from "../../schemas/event.ts"
import type { Settings } from "../config/settings.ts"
import { findReceiptKeys } from "../secrets/secrets.ts"
import { codeOf, messageOf } from "../system/error.ts"
import { runWithSettings } from "./command.ts"

const NOT_VALID = 1
const NOT_VERIFIED = 2

/** Makes foreign text safe for a terminal. */
const printable = (text: string): string => text.replace(/[\p{Cc}\p{Cf}\p{Co}\p{Cs}]/gu, "?")

const linesOf = ({ valid, reason, body, claims }: ReceiptVerdict): ReadonlyArray<string> => [
  valid ? "valid" : `not valid: ${reason === null ? "" : receiptProblems[reason]}`,
  ...(claims === null
    ? []
    : [
        `reply      ${{ matches: "is the one that was signed", differs: "differs from the one that was signed", not_given: "not given" }[body]}`,
        `id         ${claims.id}`,
        `issuer     ${claims.issuer}`,
        `time       ${instant(claims.atMs)}`,
        `endpoint   ${claims.endpoint}`,
        `credits    ${claims.credits}${claims.reason === null ? "" : ` (${claims.reason})`}`,
        `ledger     ${claims.entry === null ? "no entry" : `entry ${claims.entry.accountSequence} of its account, ${claims.entry.hash}`}`,
        `request    ${claims.requestHash}`,
        `response   ${claims.responseHash}`,
        `key        ${claims.kid}`,
      ]),
]

const verify = (path: string, jwks: string | undefined, settings: Settings) =>
  Effect.gen(function* () {
    const sent = yield* sentFrom(yield* readText(path), path)
    const verdict = yield* verifySaved(sent, jwks, settings)
    process.stdout.write(`${linesOf(verdict).map(printable).join("\n")}\n`)
    return verdict.valid ? 0 : NOT_VALID
  })

export const run = ({
  positionals: [path = ""],
  values,
}: {
  readonly positionals: ReadonlyArray<string>
  readonly values: { readonly jwks?: string | undefined }
}): Promise<number> =>
  runWithSettings((settings) =>
    verify(path, values.jwks, settings).pipe(
      Effect.catch((failure) =>
        Effect.sync(() => {
          process.stderr.write(`not verified: ${printable(failure.message)}\n`)
          return NOT_VERIFIED
        }),
      ),
    ),
  )

// Receipts that were saved to files, and the keys by which they are verified.

const FILE_MAX_BYTES = 64 * 1024 * 1024
/** Far above those of a server, as this process does nothing else meanwhile. */
const REPLY: JsonLimits = { charactersMax: FILE_MAX_BYTES, valuesMax: 10_000_000, depthMax: 256 }
const JWKS_MAX_BYTES = 1024 * 1024
const FETCH_TIMEOUT_MS = 10_000
const STANDARD_INPUT = "-"
const utf8 = new TextDecoder("utf-8", { fatal: true })

/** A file or an address cannot be read, or has another content than expected. */
class Unreadable extends Schema.TaggedError<Unreadable>()("Unreadable", { problem: Schema.String }) {
  override get message() {
    return this.problem
  }
}

/** Why a receipt is not valid, in words. */
export const receiptProblems: Readonly<Record<ReceiptProblem, string>> = {
  malformed: "this is no receipt of Tidewire's",
  unknown_key: "it was signed with a key that is not among those given",
  wrong_signature: "the signature is wrong: it was changed, or forged",
  body_differs: "the receipt is genuine, and speaks of another reply than this one",
  id_differs: "the receipt is genuine, and the reply calls it by another id",
}

/** Text of a file, or, for `-`, of standard input. */
export const readText = (path: string, bytesMax = FILE_MAX_BYTES): Effect.Effect<string, Unreadable> =>
  Effect.try({
    try: () => {
      if (path !== STANDARD_INPUT && statSync(path).size > bytesMax)
        throw new Unreadable({ problem: `${path} has more than ${bytesMax} bytes` })
      return utf8.decode(readFileSync(path === STANDARD_INPUT ? 0 : path)).trim()
    },
    catch: (cause) =>
      cause instanceof Unreadable ? cause : new Unreadable({ problem: `${path} cannot be read: ${problemOf(cause)}` }),
  })

const problemOf = (cause: unknown): string => String(codeOf(cause) ?? messageOf(cause))

/** Parses the JSON of a file of this name. */
export const parseJson = (text: string, of: string): Effect.Effect<unknown, Unreadable> =>
  Effect.try({
    try: (): unknown => JSON.parse(text),
    catch: () => new Unreadable({ problem: `${of} is not JSON` }),
  })

const isLocal = ({ hostname }: URL): boolean => ["localhost", "127.0.0.1", "[::1]"].includes(hostname)

const fetchText = (address: string): Effect.Effect<string, Unreadable> =>
  Effect.gen(function* () {
    const url = yield* Effect.try({
      try: () => new URL(address),
      catch: () => new Unreadable({ problem: "this is no address" }),
    })
    if (url.protocol !== "https:" && !isLocal(url))
      return yield* new Unreadable({
        problem: "keys are fetched by https only: who can change them can forge receipts",
      })
    return yield* Effect.tryPromise({
      try: async () => {
        const response = await fetch(url, { signal: AbortSignal.timeout(FETCH_TIMEOUT_MS), redirect: "error" })
        if (!response.ok || response.body === null) throw new Error(`status ${response.status}`)
        const chunks: Array<Uint8Array> = []
        let sizeBytes = 0
        for await (const chunk of response.body) {
          sizeBytes += chunk.byteLength
          if (sizeBytes > JWKS_MAX_BYTES) throw new Error(`more than ${JWKS_MAX_BYTES} bytes`)
          chunks.push(chunk)
        }
        return Buffer.concat(chunks).toString("utf8")
      },
      catch: (cause) => new Unreadable({ problem: `the keys cannot be fetched: ${problemOf(cause)}` }),
    })
  })

const keysFrom = (place: string): Effect.Effect<unknown, Unreadable> =>
  (/^https?:/iu.test(place) ? fetchText(place) : readText(place, JWKS_MAX_BYTES)).pipe(
    Effect.flatMap((text) => parseJson(text, place)),
  )

/** The keys of this installation itself. */
const ownKeys = ({ dataDirectory, receiptKeys }: Settings) =>
  Effect.gen(function* () {
    const environment = { RECEIPT_KEYS: receiptKeys ?? undefined }
    const keys = yield* findReceiptKeys({ directory: dataDirectory, environment })
    if (keys.length === 0)
      return yield* new Unreadable({ problem: "there are no keys in DATA_DIR: name a saved jwks.json with --jwks" })
    return { keys: yield* Effect.promise(() => Promise.all(keys.map(publicJwkOf))) }
  })

/** The reply of a file, as I-JSON: what parsers read differently cannot be called valid. */
const readReply = (text: string, of: string): Effect.Effect<unknown, Unreadable> => {
  const read = readIJson(text, REPLY)
  return read._tag === "Read"
    ? Effect.succeed(read.value)
    : Effect.fail(new Unreadable({ problem: `${of} ${jsonProblemWords[read.problem]}` }))
}

/** The receipt in a text: a reply with its member receipt, or a receipt alone. */
export const sentFrom = (text: string, path: string): Effect.Effect<SentReceipt, Unreadable> =>
  Effect.gen(function* () {
    if (!text.startsWith("{")) return { jws: text, id: null, body: undefined }
    const sent = findReceipt(yield* readReply(text, path))
    return sent ?? (yield* new Unreadable({ problem: `${path} has no member receipt {id, jws}` }))
  })

/**
 * Verifies a receipt by the public keys of a saved `/.well-known/jwks.json`, or of its address, or, without one, by this
 * installation's own keys.
 */
export const verifySaved = (
  sent: SentReceipt,
  jwks: string | undefined,
  settings: Settings,
): Effect.Effect<ReceiptVerdict, { readonly message: string }> =>
  Effect.gen(function* () {
    const keys = jwks === undefined ? yield* ownKeys(settings) : yield* keysFrom(jwks)
    const verifier = yield* Effect.tryPromise({
      try: () => makeVerifier(keys),
      catch: (cause) => new Unreadable({ problem: problemOf(cause) }),
    })
    return yield* Effect.promise(() => verifySent(verifier, sent))
  })
