import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import type { BillingUnavailable } from "../../../ledger/client.ts"
import type { Refusal } from "../../../ledger/refusal.ts"

const unavailable: Readonly<Record<BillingUnavailable["reason"], string>> = {
  overloaded: "the ledger is overloaded; nothing was done, try again",
  waited: "the command waited too long; nothing was done, try again",
  log: "the log cannot be written now; nothing was done",
  standby: "no process holds the ledger now; nothing was done, try again",
  stopped: "the ledger is stopping; nothing was done, try again",
  clock: "the ledger doubts its clock; nothing was done. /readyz shows why; accept-clock overrules it",
  unreachable: "the ledger cannot be reached by ADMIN_PORT or LEDGER_URLS; nothing was done",
  unknown: "the reply was lost: it may have been done. Look at the account before you repeat it",
}

/** A refusal as a sentence for operators. */
const sentenceOf = (refusal: Refusal | BillingUnavailable): string => {
  switch (refusal._tag) {
    case "billing_unavailable":
      return unavailable[refusal.reason]
    case "unknown_account":
      return "there is no such account; `grant new` opens one"
    case "token_needed":
      return "the token of this account has changed meanwhile; nothing was done, try again"
    case "unknown_debit":
      return "there is no such debit among the remembered ones"
    case "debit_refunded":
      return "this debit was refunded before"
    case "debit_settled":
      return "this debit has cost nothing, or only an operator may refund it"
    case "already_credited":
      return "this payment was credited before"
    case "invalid_amount":
      return "credits are 1 to 1,000,000,000"
    case "invalid_command":
      return "a value has a form that the ledger does not store: names up to 128 characters, texts up to 500"
    default:
      return `the ledger refuses: ${refusal._tag}`
  }
}

/** The command cannot be carried out. */
export class Refused extends Schema.TaggedError<Refused>()("Refused", { problem: Schema.String }) {
  override get message() {
    return this.problem
  }
}

/** The output of a command: lines for people, or the same facts as JSON. */
export interface Report {
  readonly facts: object
  readonly lines: ReadonlyArray<string>
  /** Exit code; 0 when absent. */
  readonly code?: number
}

/** Maps a refusal of the ledger to a sentence. */
export const submit = <A, E extends Parameters<typeof sentenceOf>[0]>(asked: Effect.Effect<A, E>) =>
  asked.pipe(Effect.mapError((refusal) => new Refused({ problem: sentenceOf(refusal) })))
