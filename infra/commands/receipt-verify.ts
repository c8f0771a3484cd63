import { Effect } from "effect"
import type { ReceiptVerdict } from "../../ledger/receipts/verify.ts"
import { instant } from "../../schemas/event.ts"
import { readArguments } from "../config/arguments.ts"
import { type Command, runCommand } from "../config/command.ts"
import type { Settings } from "../config/settings.ts"
import { readText, receiptProblems, sentFrom, verifySaved } from "./receipt-files.ts"

const USAGE = `usage: npm run receipt:verify -- FILE [--jwks FILE|URL]

Verifies a receipt offline. FILE is a saved reply (JSON with its member receipt) or a receipt alone (compact JWS); - reads
standard input. The public keys come from a saved /.well-known/jwks.json, or from its address (https), or, without --jwks,
from this installation's own keys. Exit code: 0 valid, 1 not valid, 2 it could not be verified.
`

const NOT_VALID = 1
const NOT_VERIFIED = 2

/** Text of somebody else's, for a terminal. */
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
        `ledger     ${claims.entry === null ? "no entry" : `entry ${claims.entry.sequence}, ${claims.entry.hash}`}`,
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

const prepare = (): Command => {
  const { positionals, values } = readArguments(USAGE, { jwks: { type: "string" } }, { min: 1, max: 1 })
  const [path = ""] = positionals
  return (settings) =>
    verify(path, values.jwks, settings).pipe(
      Effect.catch((failure) =>
        Effect.sync(() => {
          process.stderr.write(`not verified: ${printable(failure.message)}\n`)
          return NOT_VERIFIED
        }),
      ),
    )
}

runCommand(USAGE, prepare)
