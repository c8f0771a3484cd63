import * as Effect from "effect/Effect"
import type * as Result from "effect/Result"
import type * as Scope from "effect/Scope"
import type {
  AnswerTo,
  BillingUnavailable,
  Claim,
  Command,
  DurableAnswer,
  LedgerClient,
  Payments,
  Refusal,
} from "../../ledger/client.ts"
import { withRequestId } from "../../ledger/ids.ts"
import { Failover, type MessageKind } from "./failover.ts"
import { makeRequestSender } from "./send-request.ts"
import {
  CLAIM_PATH,
  type ClaimResult,
  COMMANDS_MAX,
  type EdgeName,
  edges,
  type Outcome,
  readClaimReply,
  readReply,
  writeClaim,
} from "./wire.ts"

/** Limits that tests set. */
type Limits = Partial<Pick<MessageKind<unknown, Outcome>, "attemptMaxMs" | "totalMaxMs" | "waitingMax">>

const ONCE: ReadonlySet<Command["_tag"]> = new Set(["grant", "reissue", "acceptClock"])

const commands: Omit<MessageKind<Command, Outcome>, "path"> = {
  textOf: (command) => JSON.stringify(command),
  bodyOf: (batch) =>
    `{"commands":[${batch.map(({ text }) => text).join(",")}],"requests":${JSON.stringify(batch.map(({ request }) => request))}}`,
  readReply,
  // A repeated settle or refund is idempotent, and quotes and debits carry an id. A grant has no id and would be applied
  // twice; a second reissue would void the token of the first.
  mayResend: ({ _tag }) => !ONCE.has(_tag),
  leavesUnknown: ({ _tag }, refusal) =>
    // It is certain only that the second request wrote nothing.
    refusal === "billing_unavailable" ||
    // The memo was generated for this quote, so the first request was written; its total is lost with its answer.
    (_tag === "issueQuote" && refusal === "memo_in_use") ||
    // The first request was written: its caller releases the debit, whose id it has made.
    (_tag === "debit" && refusal === "duplicate_debit"),
  batchMax: COMMANDS_MAX,
  requestsMax: 8,
  waitingMax: 10_000,
  waitMaxMs: 5_000,
  // Longer than a command may wait at the writer plus a usual append.
  attemptMaxMs: 6_000,
  suspectAttemptMaxMs: 1_000,
  totalMaxMs: 12_000,
}

/** A claim is idempotent. Its attempts last longer than the look-ups of a transaction and a signature together. */
const claimsOf = (secret: string): MessageKind<Claim, ClaimResult> => ({
  path: CLAIM_PATH,
  textOf: (claim, request) => writeClaim(claim, secret, request),
  bodyOf: ([claim]) => claim?.text ?? "",
  readReply: (text) => {
    const claimed = readClaimReply(text)
    return claimed === null ? null : [claimed]
  },
  mayResend: () => true,
  leavesUnknown: (_, refusal) => refusal === "billing_unavailable",
  batchMax: 1,
  requestsMax: 64,
  waitingMax: 1_000,
  waitMaxMs: 26_000,
  attemptMaxMs: 24_000,
  suspectAttemptMaxMs: 24_000,
  totalMaxMs: 26_000,
})

/** Dependencies of the client, and limits that tests set. */
export interface HttpLedgerOptions extends Limits {
  /** Admin addresses of all processes that may hold the ledger. */
  readonly urls: ReadonlyArray<string>
  /** The edge that commands are sent over, and its current secret. */
  readonly edge: EdgeName
  readonly secret: string
}

/**
 * The ledger over HTTP. An outcome that stays unknown is `billing_unavailable` with the reason `unknown`. Commands that are
 * submitted together share a request. Connections live as long as the scope.
 */
export const makeHttpLedger = ({
  urls,
  edge,
  secret,
  ...limits
}: HttpLedgerOptions): Effect.Effect<LedgerClient, never, Scope.Scope> =>
  Effect.gen(function* () {
    const sendRequest = yield* makeRequestSender({ urls, edge, secret, connections: 2 * commands.requestsMax })
    const failover = new Failover({ ...commands, ...limits, path: edges[edge].path }, sendRequest, urls.length)
    const submit: LedgerClient["submit"] = <C extends Command>(command: C) =>
      withRequestId((request) =>
        Effect.callback<DurableAnswer<AnswerTo<C>>, Refusal | BillingUnavailable>((resume) => {
          const abandon = failover.push(command, request, (outcome) =>
            // `readReply` decoded the answer by the schema of this command.
            resume(
              Effect.fromResult(outcome as Result.Result<DurableAnswer<AnswerTo<C>>, Refusal | BillingUnavailable>),
            ),
          )
          return Effect.sync(abandon)
        }),
      )
    return { submit }
  })

/** Dependencies of remote payments, and limits that tests set. */
export interface RemotePaymentsOptions extends Limits {
  /** Admin addresses of all processes that may hold the ledger. */
  readonly urls: ReadonlyArray<string>
  readonly secret: string
  readonly facts: Payments["facts"]
}

/**
 * Claims payments in the process that holds the ledger, which verifies and decides. This process sends proofs, and no facts
 * of the chain.
 */
export const makeRemotePayments = ({
  urls,
  secret,
  facts,
  ...limits
}: RemotePaymentsOptions): Effect.Effect<Payments, never, Scope.Scope> =>
  Effect.gen(function* () {
    const kind = { ...claimsOf(secret), ...limits }
    const sendRequest = yield* makeRequestSender({ urls, edge: "api", secret, connections: kind.requestsMax })
    const failover = new Failover(kind, sendRequest, urls.length)
    return {
      facts,
      claim: (claim) =>
        withRequestId((request) =>
          Effect.callback((resume) => {
            const abandon = failover.push(claim, request, (outcome) => resume(Effect.fromResult(outcome)))
            return Effect.sync(abandon)
          }),
        ),
    }
  })
