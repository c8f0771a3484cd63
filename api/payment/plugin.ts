import { Effect, Result } from "effect"
import type { FastifyInstance } from "fastify"
import { Counter } from "prom-client"
import {
  type BillingUnavailable,
  type Buying,
  bearerOf,
  type ConfirmOutcome,
  type Refusal,
} from "../../ledger/client.ts"
import type { Endpoint } from "../../schemas/contract/endpoint-kinds.ts"
import { centsOf, type PayerProofRequired } from "../../schemas/contract/payment.ts"
import { paymentBalance } from "../../schemas/endpoints/payment-balance.ts"
import { BuyCredits, paymentBuyCredits } from "../../schemas/endpoints/payment-buy-credits.ts"
import { ConfirmPayment, paymentConfirm } from "../../schemas/endpoints/payment-confirm.ts"
import { paymentHistory } from "../../schemas/endpoints/payment-history.ts"
import { paymentRevoke, RevokeToken } from "../../schemas/endpoints/payment-revoke.ts"
import type { Exchange } from "../http/answer.ts"
import { prefixesOf } from "../http/client-address.ts"
import { type ProblemReply, problem } from "../http/problems.ts"
import { billingUnavailable, type RefusalOptions, refusalReply, refused } from "../http/refusals.ts"
import { ledgerUnavailable, salesNotConfigured, tokenUnavailable } from "../http/unavailable.ts"
import type { ApiTools, Route } from "../route.ts"
import { balanceBody, creditedBody, historyBody, pendingBody, quoteBody, revokedBody } from "./replies.ts"
import { type BodyReading, makeBodyReader } from "./request-body.ts"

type Failure = Effect.Error<ReturnType<Buying["confirm"]>>

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

/** Reply to a confirm that cannot succeed in this form. */
const unconfirmed = (
  confirmed: Exclude<ConfirmOutcome, { readonly _tag: "credited" | "pending" }>,
  options: RefusalOptions,
): ProblemReply => {
  switch (confirmed._tag) {
    case "payer_proof_required": {
      const reply = refusalReply({ _tag: confirmed._tag }, options)
      const message = confirmed.signatureRefused
        ? "The signature is not one of this text by a wallet that paid in this transaction, or several contracts accept it: then send your address as payer."
        : `${reply.body.message} The text to sign is in text_to_sign.`
      const body: PayerProofRequired = { ...reply.body, error: confirmed._tag, message, text_to_sign: confirmed.text }
      return { ...reply, body }
    }
    case "unknown_transaction":
      return problem(
        404,
        confirmed._tag,
        "This transaction was in no block for 30 minutes. Check its hash; confirm again when it is mined.",
      )
    case "failed_transaction":
      return refused(
        options.terms,
        402,
        "payment_required",
        "This transaction failed on the chain and paid nothing. Pay again.",
        { reason: confirmed._tag },
      )
  }
}

const paymentRoutes = (tools: ApiTools): ReadonlyMap<string, Route> => {
  const { options, answers, terms, registry } = tools
  const { billing, logger } = options
  registry.removeSingleMetric("tidewire_payment_confirms_total")
  const outcomes = new Counter({
    name: "tidewire_payment_confirms_total",
    help: "Confirms answered, by outcome",
    labelNames: ["outcome"],
    registers: [registry],
  })

  const send = (exchange: Exchange, status: number, body: object, headers: ReadonlyArray<string> = []): void =>
    answers.fleeting(exchange, status, Buffer.from(JSON.stringify(body)), [
      "Content-Type",
      "application/json; charset=utf-8",
      ...headers,
    ])

  /** Makes a route that needs the ledger; without one it replies 503. */
  const withBuying =
    (answer: (buying: Buying, exchange: Exchange, client: string, body: unknown) => void | Promise<void>): Route =>
    (exchange, _, client, body) =>
      billing === null
        ? answers.problem(exchange, ledgerUnavailable(terms))
        : answer(billing.buying, exchange, client, body)

  const failureReply = (failure: Failure): ProblemReply => {
    switch (failure._tag) {
      case "nothing_sold":
        return salesNotConfigured(terms)
      case "ChainUnavailable":
        return billingUnavailable(
          terms,
          failure.retryAfterSeconds,
          "The chain cannot be reached at the moment. Your payment is not lost: confirm again after Retry-After.",
        )
      case "token_key_missing":
        logger.error({ kid: failure.kid }, "a token cannot be issued: its key is not configured")
        return tokenUnavailable(terms)
      default:
        return refusalReply(failure, { terms, tokenStatus: 401 })
    }
  }

  const run = async <A>(exchange: Exchange, asked: Effect.Effect<A, Failure>, answer: (got: A) => void) => {
    const got = await Effect.runPromise(Effect.result(asked))
    if (Result.isSuccess(got)) answer(got.success)
    else answers.problem(exchange, failureReply(got.failure))
    return got
  }

  const readQuote = makeBodyReader(BuyCredits, { amount_usd: "1 to 10,000 dollars with at most 2 decimals" })
  const quote = withBuying(async (buying, exchange, client, body) => {
    const read = readQuote(body)
    if (read._tag === "Refused") return answers.problem(exchange, read.problem)
    const askedCents = centsOf(read.value.amount_usd) ?? 0
    await run(exchange, buying.quote({ askedCents, client: prefixesOf(client) }), (quoted) => {
      if (buying.facts !== null) send(exchange, 200, quoteBody(quoted, buying.facts))
    })
  })

  const answerConfirm = (exchange: Exchange, confirmed: ConfirmOutcome, bearer: string | null): void => {
    if (confirmed._tag === "credited") send(exchange, 200, creditedBody(confirmed, confirmed.token ?? bearer ?? ""))
    else if (confirmed._tag === "pending")
      send(exchange, 202, pendingBody(confirmed), ["Retry-After", String(confirmed.retryAfterSeconds)])
    else answers.problem(exchange, unconfirmed(confirmed, { terms, tokenStatus: 401 }))
  }

  const readConfirm = makeBodyReader(ConfirmPayment, {
    tx_hash: "the hash of the transaction: 0x and 64 hex digits",
    nonce: "the memo of the quote, or is left out",
    signature: "a signature as 0x and hex digits, or is left out",
    payer: "the address of the wallet that has signed: 0x and 40 hex digits, or is left out",
  })
  const confirm = withBuying(async (buying, exchange, _, body) => {
    const { authorization } = exchange.request.headers
    const bearer = bearerOf(authorization)
    // Any other Authorization header is refused: without it, credits would go to another token than the sender expects.
    if (typeof bearer === "string" && authorization !== undefined)
      return answers.problem(exchange, failureReply({ _tag: bearer === "missing" ? "missing_token" : "invalid_token" }))
    const read = readConfirm(body)
    if (read._tag === "Refused") return answers.problem(exchange, read.problem)
    const { tx_hash: txHash, nonce: memo = null, signature = null, payer = null } = read.value
    const token = typeof bearer === "string" ? null : bearer.token
    const got = await run(exchange, buying.confirm({ txHash, memo, signature, payer, bearer: token }), (confirmed) =>
      answerConfirm(exchange, confirmed, token),
    )
    outcomes.inc({ outcome: Result.isSuccess(got) ? got.success._tag : got.failure._tag })
  })

  /** Makes a route that requires a token and then decodes the body. */
  const withToken = <Body, A>(
    read: (body: unknown) => BodyReading<Body>,
    ask: (buying: Buying, token: string, body: Body) => Effect.Effect<A, Refusal | BillingUnavailable>,
    bodyOf: (got: A) => object,
  ): Route =>
    withBuying(async (buying, exchange, _, body) => {
      const bearer = bearerOf(exchange.request.headers.authorization)
      if (typeof bearer === "string")
        return answers.problem(
          exchange,
          failureReply({ _tag: bearer === "missing" ? "missing_token" : "invalid_token" }),
        )
      const asked = read(body)
      if (asked._tag === "Refused") return answers.problem(exchange, asked.problem)
      await run(exchange, ask(buying, bearer.token, asked.value), (got) => send(exchange, 200, bodyOf(got)))
    })

  const unread = (): BodyReading<null> => ({ _tag: "Read", value: null })
  const account = (buying: Buying, token: string) => buying.account(token)
  const readRevoke = makeBodyReader(RevokeToken, { confirm: "true or false" })
  const revoke = withToken(
    (body) => (body === undefined || body === null ? { _tag: "Read", value: {} } : readRevoke(body)),
    (buying, token, { confirm: confirmed = false }: typeof RevokeToken.Type) => buying.revoke(token, confirmed),
    revokedBody,
  )

  const routes: ReadonlyArray<readonly [Pick<Endpoint, "path">, Route]> = [
    [paymentBuyCredits, quote],
    [paymentConfirm, confirm],
    [paymentBalance, withToken(unread, account, balanceBody)],
    [paymentHistory, withToken(unread, account, historyBody)],
    [paymentRevoke, revoke],
  ]
  return new Map(routes.map(([{ path }, route]) => [path, route]))
}
