import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import type { FastifyInstance } from "fastify"
import { Counter } from "prom-client"
import { type BillingUnavailable, type Buying, bearerOf, onBehalfOf, type Refusal } from "../../ledger/client.ts"
import { centsOf } from "../../schemas/contract/payment.ts"
import { paymentBalance } from "../../schemas/endpoints/payment-balance.ts"
import { BuyCredits, paymentBuyCredits } from "../../schemas/endpoints/payment-buy-credits.ts"
import { ConfirmPayment, paymentConfirm } from "../../schemas/endpoints/payment-confirm.ts"
import { paymentHistory } from "../../schemas/endpoints/payment-history.ts"
import { paymentRevoke, RevokeToken } from "../../schemas/endpoints/payment-revoke.ts"
import type { Exchange } from "../http/answer.ts"
import { prefixesOf } from "../http/client.ts"
import { type BodyReading, makeBodyReader } from "../http/json-body.ts"
import { rateLimited } from "../http/problems.ts"
import { ledgerUnavailable } from "../http/refusals.ts"
import { lookupShareLimits, PrefixShare } from "../http/shares.ts"
import type { ApiTools, Route } from "../routes/route.ts"
import {
  type BuyingFailure,
  balanceBody,
  creditedBody,
  failureReply,
  historyBody,
  pendingBody,
  quoteBody,
  revokedBody,
  unconfirmed,
} from "./replies.ts"

/** Serves the commands of the payment endpoints. Replies are `no-store`. */
export const paymentPlugin =
  (tools: ApiTools) =>
  (app: FastifyInstance, _: unknown, done: () => void): void => {
    // Without the framework's text parser a body that is not JSON is refused.
    app.removeContentTypeParser("text/plain")
    const routes = paymentRoutes(tools)
    for (const endpoint of tools.options.endpoints) {
      const route = routes.get(endpoint.path)
      if (route !== undefined) tools.serve(app, endpoint, route)
    }
    done()
  }

const readQuote = makeBodyReader(BuyCredits, { amount_usd: "1 to 10,000 dollars with at most 2 decimals" })
const readConfirm = makeBodyReader(ConfirmPayment, {
  tx_hash: "the hash of the transaction: 0x and 64 hex digits",
  nonce: "the memo of the quote, or is left out",
  signature: "a signature as 0x and hex digits, or is left out",
  signature_until: "the day beside text_to_sign, YYYY-MM-DD, or is left out",
  claim_key: "a secret of yours, tw_claim_ and 64 lower-case hex digits, or is left out",
  claim_key_hash: "the SHA-256 of the claim key, 64 lower-case hex digits, or is left out",
  payer: "the address of the wallet that has signed: 0x and 40 hex digits, or is left out",
})
const readRevoke = makeBodyReader(RevokeToken, { confirm: "true or false" })

/** The routes by the paths of their endpoints. */
const paymentRoutes = ({ options, limits, answers, terms, registry }: ApiTools): ReadonlyMap<string, Route> => {
  const { billing, logger, nowMs } = options
  registry.removeSingleMetric("tidewire_payment_confirms_total")
  const outcomes = new Counter({
    name: "tidewire_payment_confirms_total",
    help: "Confirms answered, by outcome",
    labelNames: ["outcome"],
    registers: [registry],
  })
  /** Confirms that may look up a transaction. */
  const lookups = new PrefixShare(lookupShareLimits(limits))

  const send = (exchange: Exchange, status: number, body: object, headers: ReadonlyArray<string> = []): void =>
    answers.fleeting(exchange, status, Buffer.from(JSON.stringify(body)), [
      "Content-Type",
      "application/json; charset=utf-8",
      ...headers,
    ])
  const refuse = (exchange: Exchange, failure: BuyingFailure): void => {
    if (failure._tag === "token_key_missing")
      logger.error({ kid: failure.kid }, "a token cannot be issued: its key is not configured")
    answers.problem(exchange, failureReply(failure, terms))
  }
  const refuseToken = (exchange: Exchange, token: "missing" | "malformed"): void =>
    refuse(exchange, { _tag: token === "missing" ? "missing_token" : "invalid_token" })

  /** Runs a command on behalf of the request, and replies with its answer or the refusal. */
  const run = async <A>(exchange: Exchange, asked: Effect.Effect<A, BuyingFailure>, answer: (got: A) => void) => {
    const got = await Effect.runPromise(Effect.result(onBehalfOf(answers.requestIdOf(exchange))(asked)))
    if (Result.isSuccess(got)) answer(got.success)
    else refuse(exchange, got.failure)
    return got
  }

  /** Makes a route that needs the ledger; without one it replies 503. */
  const withBuying =
    (answer: (buying: Buying, exchange: Exchange, client: string, body: unknown) => void | Promise<void>): Route =>
    (exchange, _, client, body) =>
      billing === null
        ? answers.problem(exchange, ledgerUnavailable(terms))
        : answer(billing.buying, exchange, client, body)

  /** Makes a route that requires a token and then decodes the body. */
  const withToken = <Body, A>(
    read: (body: unknown) => BodyReading<Body>,
    ask: (buying: Buying, token: string, body: Body) => Effect.Effect<A, Refusal | BillingUnavailable>,
    bodyOf: (got: A) => object,
  ): Route =>
    withBuying(async (buying, exchange, _, body) => {
      const bearer = bearerOf(exchange.request.headers.authorization)
      if (typeof bearer === "string") return refuseToken(exchange, bearer)
      const asked = read(body)
      if (asked._tag === "Refused") return answers.problem(exchange, asked.problem)
      await run(exchange, ask(buying, bearer.token, asked.value), (got) => send(exchange, 200, bodyOf(got)))
    })
  const readAccount = (bodyOf: (account: Parameters<typeof balanceBody>[0]) => object, purchases: boolean): Route =>
    withToken(
      () => ({ _tag: "Read", value: null }),
      (buying, token) => buying.account(token, purchases),
      bodyOf,
    )

  const quote = withBuying(async (buying, exchange, client, body) => {
    const read = readQuote(body)
    if (read._tag === "Refused") return answers.problem(exchange, read.problem)
    const askedCents = centsOf(read.value.amount_usd) ?? 0
    await run(exchange, buying.quote({ askedCents, client: prefixesOf(client) }), (quoted) => {
      if (buying.facts !== null) send(exchange, 200, quoteBody(quoted, buying.facts))
    })
  })

  const confirm = withBuying(async (buying, exchange, client, body) => {
    const { authorization } = exchange.request.headers
    const bearer = bearerOf(authorization)
    // Any other Authorization header is refused: without it, credits would go to another token than the sender expects.
    if (typeof bearer === "string" && authorization !== undefined) return refuseToken(exchange, bearer)
    const read = readConfirm(body)
    if (read._tag === "Refused") return answers.problem(exchange, read.problem)
    const { tx_hash: txHash, nonce: memo = null, signature = null, payer = null } = read.value
    const { signature_until: signedUntil = null, claim_key: claimKey = null, claim_key_hash = null } = read.value
    // Without a proof nothing is looked up.
    const share = memo === null && signature === null ? null : lookups.take(client, nowMs())
    if (share?.allowed === false)
      return answers.problem(exchange, rateLimited(share.resetSeconds, "Too many confirms in the last minute or day."))
    const token = typeof bearer === "string" ? null : bearer.token
    const signed = { signature, signedUntil, payer, claimKey, claimKeyHash: claim_key_hash }
    const got = await run(exchange, buying.confirm({ txHash, memo, ...signed, bearer: token }), (confirmed) => {
      if (confirmed._tag === "credited") send(exchange, 200, creditedBody(confirmed, confirmed.token ?? token ?? ""))
      else if (confirmed._tag === "pending")
        send(exchange, 202, pendingBody(confirmed), ["Retry-After", String(confirmed.retryAfterSeconds)])
      else answers.problem(exchange, unconfirmed(confirmed, terms))
    })
    outcomes.inc({ outcome: Result.isSuccess(got) ? got.success._tag : got.failure._tag })
  })

  const revoke = withToken(
    (body): BodyReading<typeof RevokeToken.Type> =>
      body === undefined || body === null ? { _tag: "Read", value: {} } : readRevoke(body),
    (buying, token, { confirm: confirmed = false }) => buying.revoke(token, confirmed),
    revokedBody,
  )

  return new Map([
    [paymentBuyCredits.path, quote],
    [paymentConfirm.path, confirm],
    [paymentBalance.path, readAccount(balanceBody, false)],
    [paymentHistory.path, readAccount(historyBody, true)],
    [paymentRevoke.path, revoke],
  ])
}
