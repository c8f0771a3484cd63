import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import type { Answers } from "../../ledger/answers.ts"
import type { Command } from "../../ledger/command.ts"
import { Opener, Word } from "../../schemas/events/ledger.ts"
import type { SentTag } from "./wire-commands.ts"
import { Name, TokenOf } from "./wire-members.ts"

const PurchaseSummary = Schema.Struct({
  payment: Schema.String,
  units: Schema.Natural,
  credits: Schema.Natural,
  blockNumber: Schema.Natural,
  creditedAtMs: Schema.Finite,
  provisional: Schema.Boolean,
  status: Schema.Literals(["credited", "final", "reversed"]),
})
const purchases = Schema.Array(PurchaseSummary)

/** The answer to a claim that was credited. */
export const ConfirmAnswer = Schema.Struct({
  account: Name,
  credits: Schema.Natural,
  balance: Schema.Natural,
  provisional: Schema.Boolean,
  token: Schema.NullOr(TokenOf),
  purchases,
})

const answerOf: { readonly [Tag in SentTag]: Schema.Codec<Answers[Tag], unknown> } = {
  issueQuote: Schema.Struct({
    totalUnits: Schema.Natural,
    credits: Schema.Natural,
    proof: Schema.Literals(["amount", "signature"]),
    expiresAtMs: Schema.Finite,
  }),
  revoke: Schema.Struct({
    account: Name,
    balance: Schema.Natural,
    wayBack: Schema.Struct({
      by: Schema.Literals(["memo", "payer", "operator"]),
      transaction: Schema.NullOr(Word),
      shown: Schema.NullOr(Name),
    }),
  }),
  debit: Schema.Struct({ debit: Name, account: Name, balance: Schema.Natural, replayed: Schema.Boolean }),
  settle: Schema.Struct({
    account: Name,
    charged: Schema.Natural,
    returned: Schema.Natural,
    balance: Schema.Natural,
  }),
  refund: Schema.Struct({ account: Name, credits: Schema.Natural, balance: Schema.Natural }),
  reserve: Schema.Struct({ debit: Name, account: Name, balance: Schema.Natural, expiresAtMs: Schema.Finite }),
  endReservation: Schema.Struct({ account: Name, charged: Schema.Natural, balance: Schema.Natural }),
  grant: Schema.Struct({ account: Name, balance: Schema.Natural, token: Schema.NullOr(TokenOf) }),
  acceptClock: Schema.Struct({ atMs: Schema.Finite }),
  reissue: Schema.Struct({ account: Name, balance: Schema.Natural, token: TokenOf }),
  listAccounts: Schema.Struct({
    accounts: Schema.Array(
      Schema.Struct({
        place: Schema.Natural,
        account: Name,
        balance: Schema.Natural,
        shortfall: Schema.Natural,
        opener: Schema.NullOr(Opener),
        token: Schema.Literals(["live", "revoked", "none"]),
        purchaseCount: Schema.Natural,
      }),
    ),
    more: Schema.Boolean,
  }),
  readAccount: Schema.Struct({
    account: Name,
    balance: Schema.Natural,
    shortfall: Schema.Natural,
    issuedAtMs: Schema.NullOr(Schema.Finite),
    purchases,
    purchaseCount: Schema.Natural,
    purchasedUnits: Schema.Natural,
    added: Schema.Natural,
    spent: Schema.Natural,
    spentBySister: Schema.Natural,
  }),
  readAttempt: Schema.Struct({ account: Name, balance: Schema.Natural, replay: Schema.NullOr(Name) }),
}

const answerDecoders = new Map(
  Object.entries<Schema.Codec<Answers[keyof Answers], unknown>>(answerOf).map(([tag, schema]) => [
    tag,
    Schema.decodeUnknownResult(schema),
  ]),
)

/** Decodes the answer to a command; undefined where it does not have the form of one. */
export const readAnswer = (command: Command | undefined, answer: unknown): Answers[keyof Answers] | undefined => {
  const decoded = answerDecoders.get(command?._tag ?? "")?.(answer)
  return decoded === undefined || Result.isFailure(decoded) ? undefined : decoded.success
}
