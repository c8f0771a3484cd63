import * as Effect from "effect/Effect"
import type { ReceiptVerdict } from "../../../ledger/receipts/verify.ts"
import { instant } from "../../../schemas/event.ts"
import { runWithSettings } from "../../config/command.ts"
import type { Settings } from "../../config/settings.ts"
import { readText, receiptProblems, sentFrom, verifySaved } from "./receipt-files.ts"

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
