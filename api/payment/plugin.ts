import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import type { FastifyInstance } from "fastify"
import { Counter } from "prom-client"
import {
  type BillingUnavailable,
  type Buying,
  bearerOf,
  type ConfirmOutcome,
  onBehalfOf,
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
import { prefixesOf } from "../http/client.ts"
import { type ProblemReply, problem, rateLimited } from "../http/problems.ts"
import {
  billingUnavailable,
  ledgerUnavailable,
  type RefusalOptions,
  refusalReply,
  refused,
  salesNotConfigured,
  tokenUnavailable,
} from "../http/refusals.ts"
import { lookupShareLimits, PrefixShare } from "../http/shares.ts"
import type { ApiTools, Route } from "../routes/route.ts"
import { balanceBody, creditedBody, historyBody, pendingBody, quoteBody, revokedBody } from "./replies.ts"
import { type BodyReading, makeBodyReader } from "./request-body.ts"

type Failure = Effect.Error<ReturnType<Buying["confirm"]>>

/** Serves the commands of the payment endpoints. Replies are `no-store`. */
export const paymentPlugin =
  (tools: ApiTools) =>
  (app: FastifyInstance, _: unknown, done: () => void): void => {
    // Without the framework's text parser a body that is not JSON is refused.
    app.removeContentTypeParser("text/plain")
    const routes = paymentRoutes(paymentTools(tools))
    for (const endpoint of tools.options.endpoints) {
      const route = routes.get(endpoint.path)
      if (route !== undefined) tools.serve(app, endpoint, route)
    }
    done()
  }

const SIGN_WORDS = "Have the paying wallet sign text_to_sign, and send signature and signature_until."
const proofWords = {
  proof_required: `Show the memo of the quote as nonce, or a signature of the payer. ${SIGN_WORDS}`,
  beneficiary_required:
    "Show the memo of the quote as nonce. Or say where the credits go, for the text that the payer signs: send your token as Authorization: Bearer, or as claim_key a new secret of yours, tw_claim_ and 64 random hex digits. Keep that key: it is needed at each confirm.",
  claim_key_required: "Send the claim key whose hash the signed text names, as claim_key.",
  signature_refused: `The signature is not one of the text of signature_until by a wallet that paid in this transaction, for the same token, nonce or claim_key; or several contracts accept it: then send your address as payer. ${SIGN_WORDS}`,
  signature_expired: `The signature may be used no more: the day that its text names is over. ${SIGN_WORDS}`,
} as const satisfies Record<PayerProofRequired["reason"], string>

/** Reply to a confirm that cannot succeed in this form. */
const unconfirmed = (
  confirmed: Exclude<ConfirmOutcome, { readonly _tag: "credited" | "pending" }>,
  options: RefusalOptions,
): ProblemReply => {
  switch (confirmed._tag) {
    case "payer_proof_required": {
      const { _tag: error, reason, toSign } = confirmed
      const reply = refusalReply({ _tag: error }, options)
      const body: PayerProofRequired = {
        ...reply.body,
        error,
        reason,
        message: proofWords[reason],
        text_to_sign: toSign?.text ?? null,
        signature_until: toSign?.until ?? null,
      }
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

/** What the routes of the payment endpoints share. */
interface PaymentTools extends Pick<ApiTools, "answers" | "terms"> {
  readonly billing: ApiTools["options"]["billing"]
  readonly logger: ApiTools["options"]["logger"]
  readonly outcomes: Counter<"outcome">
  /** Confirms that may look up a transaction. */
  readonly lookups: PrefixShare
  readonly nowMs: () => number
}

const paymentTools = ({ options, limits, answers, terms, registry }: ApiTools): PaymentTools => {
  registry.removeSingleMetric("tidewire_payment_confirms_total")
  const outcomes = new Counter({
    name: "tidewire_payment_confirms_total",
    help: "Confirms answered, by outcome",
    labelNames: ["outcome"],
    registers: [registry],
  })
  const lookups = new PrefixShare(lookupShareLimits(limits))
  const { billing, logger, nowMs } = options
  return { answers, terms, billing, logger, outcomes, lookups, nowMs }
}

const send = (
  { answers }: PaymentTools,
  exchange: Exchange,
  status: number,
  body: object,
  headers: ReadonlyArray<string> = [],
): void =>
  answers.fleeting(exchange, status, Buffer.from(JSON.stringify(body)), [
    "Content-Type",
    "application/json; charset=utf-8",
    ...headers,
  ])

/** Makes a route that needs the ledger; without one it replies 503. */
const withBuying =
  (
    { billing, answers, terms }: PaymentTools,
    answer: (buying: Buying, exchange: Exchange, client: string, body: unknown) => void | Promise<void>,
  ): Route =>
  (exchange, _, client, body) =>
    billing === null
      ? answers.problem(exchange, ledgerUnavailable(terms))
      : answer(billing.buying, exchange, client, body)

const failureReply = ({ terms, logger }: PaymentTools, failure: Failure): ProblemReply => {
  switch (failure._tag) {
    case "nothing_sold":
      return salesNotConfigured(terms)
    case "ChainUnavailable":
      return billingUnavailable(
        terms,
        failure.retryAfterSeconds,
        failure.of === "receipt"
          ? "The receipt of this transaction is large, or was cut off, and is still being read. Your payment is not lost: confirm again after Retry-After."
          : "The chain cannot be reached at the moment. Your payment is not lost: confirm again after Retry-After.",
        failure.of === "receipt" ? "receipt_unread" : undefined,
      )
    case "token_key_missing":
      logger.error({ kid: failure.kid }, "a token cannot be issued: its key is not configured")
      return tokenUnavailable(terms)
    default:
      return refusalReply(failure, { terms, tokenStatus: 401 })
  }
}

const refuseToken = (tools: PaymentTools, exchange: Exchange, token: "missing" | "malformed"): void =>
  tools.answers.problem(
    exchange,
    failureReply(tools, { _tag: token === "missing" ? "missing_token" : "invalid_token" }),
  )

/** Asks the ledger, and replies with its answer or the refusal. */
const run = async <A>(
  tools: PaymentTools,
  exchange: Exchange,
  asked: Effect.Effect<A, Failure>,
  answer: (got: A) => void,
) => {
  const got = await Effect.runPromise(Effect.result(onBehalfOf(tools.answers.requestIdOf(exchange))(asked)))
  if (Result.isSuccess(got)) answer(got.success)
  else tools.answers.problem(exchange, failureReply(tools, got.failure))
  return got
}

const readQuote = makeBodyReader(BuyCredits, { amount_usd: "1 to 10,000 dollars with at most 2 decimals" })

const quoteRoute = (tools: PaymentTools): Route =>
  withBuying(tools, async (buying, exchange, client, body) => {
    const read = readQuote(body)
    if (read._tag === "Refused") return tools.answers.problem(exchange, read.problem)
    const askedCents = centsOf(read.value.amount_usd) ?? 0
    await run(tools, exchange, buying.quote({ askedCents, client: prefixesOf(client) }), (quoted) => {
      if (buying.facts !== null) send(tools, exchange, 200, quoteBody(quoted, buying.facts))
    })
  })

const answerConfirm = (
  tools: PaymentTools,
  exchange: Exchange,
  confirmed: ConfirmOutcome,
  bearer: string | null,
): void => {
  if (confirmed._tag === "credited")
    send(tools, exchange, 200, creditedBody(confirmed, confirmed.token ?? bearer ?? ""))
  else if (confirmed._tag === "pending")
    send(tools, exchange, 202, pendingBody(confirmed), ["Retry-After", String(confirmed.retryAfterSeconds)])
  else tools.answers.problem(exchange, unconfirmed(confirmed, { terms: tools.terms, tokenStatus: 401 }))
}

const readConfirm = makeBodyReader(ConfirmPayment, {
  tx_hash: "the hash of the transaction: 0x and 64 hex digits",
  nonce: "the memo of the quote, or is left out",
  signature: "a signature as 0x and hex digits, or is left out",
  signature_until: "the day beside text_to_sign, YYYY-MM-DD, or is left out",
  claim_key: "a secret of yours, tw_claim_ and 64 lower-case hex digits, or is left out",
  claim_key_hash: "the SHA-256 of the claim key, 64 lower-case hex digits, or is left out",
  payer: "the address of the wallet that has signed: 0x and 40 hex digits, or is left out",
})

const confirmRoute = (tools: PaymentTools): Route =>
  withBuying(tools, async (buying, exchange, client, body) => {
    const { authorization } = exchange.request.headers
    const bearer = bearerOf(authorization)
    // Any other Authorization header is refused: without it, credits would go to another token than the sender expects.
    if (typeof bearer === "string" && authorization !== undefined) return refuseToken(tools, exchange, bearer)
    const read = readConfirm(body)
    if (read._tag === "Refused") return tools.answers.problem(exchange, read.problem)
    const { tx_hash: txHash, nonce: memo = null, signature = null, payer = null } = read.value
    const { signature_until: signedUntil = null, claim_key: claimKey = null, claim_key_hash = null } = read.value
    // Without a proof nothing is looked up.
    const share = memo === null && signature === null ? null : tools.lookups.take(client, tools.nowMs())
    if (share?.allowed === false)
      return tools.answers.problem(
        exchange,
        rateLimited(share.resetSeconds, "Too many confirms in the last minute or day."),
      )
    const token = typeof bearer === "string" ? null : bearer.token
    const signed = { signature, signedUntil, payer, claimKey, claimKeyHash: claim_key_hash }
    const asked = buying.confirm({ txHash, memo, ...signed, bearer: token })
    const got = await run(tools, exchange, asked, (confirmed) => answerConfirm(tools, exchange, confirmed, token))
    tools.outcomes.inc({ outcome: Result.isSuccess(got) ? got.success._tag : got.failure._tag })
  })

/** Makes a route that requires a token and then decodes the body. */
const withToken = <Body, A>(
  tools: PaymentTools,
  read: (body: unknown) => BodyReading<Body>,
  ask: (buying: Buying, token: string, body: Body) => Effect.Effect<A, Refusal | BillingUnavailable>,
  bodyOf: (got: A) => object,
): Route =>
  withBuying(tools, async (buying, exchange, _, body) => {
    const bearer = bearerOf(exchange.request.headers.authorization)
    if (typeof bearer === "string") return refuseToken(tools, exchange, bearer)
    const asked = read(body)
    if (asked._tag === "Refused") return tools.answers.problem(exchange, asked.problem)
    await run(tools, exchange, ask(buying, bearer.token, asked.value), (got) => send(tools, exchange, 200, bodyOf(got)))
  })

const unread = (): BodyReading<null> => ({ _tag: "Read", value: null })
const account = (buying: Buying, token: string) => buying.account(token)
const readRevoke = makeBodyReader(RevokeToken, { confirm: "true or false" })

const revokeRoute = (tools: PaymentTools): Route =>
  withToken(
    tools,
    (body) => (body === undefined || body === null ? { _tag: "Read", value: {} } : readRevoke(body)),
    (buying, token, { confirm: confirmed = false }: typeof RevokeToken.Type) => buying.revoke(token, confirmed),
    revokedBody,
  )

/** The routes by the paths of their endpoints. */
const paymentRoutes = (tools: PaymentTools): ReadonlyMap<string, Route> => {
  const routes: ReadonlyArray<readonly [Pick<Endpoint, "path">, Route]> = [
    [paymentBuyCredits, quoteRoute(tools)],
    [paymentConfirm, confirmRoute(tools)],
    [paymentBalance, withToken(tools, unread, account, balanceBody)],
    [paymentHistory, withToken(tools, unread, account, historyBody)],
    [paymentRevoke, revokeRoute(tools)],
  ]
  return new Map(routes.map(([{ path }, route]) => [path, route]))
}
