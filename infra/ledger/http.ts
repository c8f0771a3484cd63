import * as Effect from "effect/Effect"
import type * as Result from "effect/Result"
import type * as Scope from "effect/Scope"
import type { AnswerTo, BillingUnavailable, DurableAnswer, LedgerClient } from "../../ledger/client.ts"
import type { Command } from "../../ledger/command.ts"
import type { Refusal } from "../../ledger/refusal.ts"
import { withRequestId } from "../../ledger/request-id.ts"
import { CommandQueue, type CommandQueueLimits, REQUESTS_MAX } from "./command-queue.ts"
import type { EdgeName } from "./edges.ts"
import { makeRequestSender } from "./send-request.ts"

/** Dependencies of the client, and limits that tests set. */
export interface HttpLedgerOptions extends CommandQueueLimits {
  /** Admin addresses of all processes that may hold the ledger. */
  readonly urls: ReadonlyArray<string>
  /** The edge that commands are sent over, and its current secret. */
  readonly edge: EdgeName
  readonly secret: string
}

/**
 * The ledger over HTTP. Requests go to the process that answered last, and to the next one if it does not hold the ledger
 * or is unreachable. After a lost reply, `resend.ts` decides whether the command is sent again and what its caller gets; an
 * outcome that stays unknown is `billing_unavailable` with the reason `unknown`. Commands that are submitted together share
 * a request. Connections live as long as the scope.
 */
export const makeHttpLedger = (options: HttpLedgerOptions): Effect.Effect<LedgerClient, never, Scope.Scope> =>
  Effect.gen(function* () {
    const { urls, edge, secret } = options
    const sendRequest = yield* makeRequestSender({ urls, edge, secret, connections: 2 * REQUESTS_MAX })
    const queue = new CommandQueue(sendRequest, edge, urls.length, options)
    const submit: LedgerClient["submit"] = <C extends Command>(command: C) =>
      withRequestId((request) =>
        Effect.callback<DurableAnswer<AnswerTo<C>>, Refusal | BillingUnavailable>((resume) => {
          const one = queue.push(command, request, (outcome) =>
            // `readReply` decoded the answer by the schema of this command.
            resume(
              Effect.fromResult(outcome as Result.Result<DurableAnswer<AnswerTo<C>>, Refusal | BillingUnavailable>),
            ),
          )
          return Effect.sync(() => {
            one.abandoned = true
          })
        }),
      )
    return { submit }
  })
