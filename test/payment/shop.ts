import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import type { InjectOptions } from "fastify"
import { expect } from "vitest"
import type { ApiOptions, Billing } from "../../api/routes/route.ts"
import { apiUnderTest } from "../../api/testing/api-under-test.ts"
import { undocumentedBy } from "../../api/testing/documented.ts"
import type { Transaction } from "../../ledger/chain.port.ts"
import { Problem } from "../../schemas/contract/reply.ts"
import type { paymentBuyCredits } from "../../schemas/endpoints/payment-buy-credits.ts"
import { endpoints as contract } from "../../schemas/registry.ts"
import { buyer, transaction, transfer } from "../conformance/ledger/given.ts"
import { type DeskUnderTest, deskUnderTest } from "./desk.ts"

/** The contract without its own document, which takes longest to build. */
export const endpoints = contract.filter(({ name }) => name !== "openapi")
/** The parts of a reply that the contract does not declare. */
export const undocumented = undocumentedBy(contract)
/** A token of the right form that was never issued. */
export const unknownToken = `svc_live_${"0".repeat(64)}`

/** Unused here: payments need only the ledger and the desk. */
const billingOf = ({ ledger, buying }: Pick<DeskUnderTest, "ledger" | "buying">): Billing => ({
  ledger,
  buying,
  receipts: {
    issuer: "test",
    jwks: { keys: [] },
    sign: () => Promise.reject(new Error("no receipt belongs to a payment")),
    verify: () => Promise.reject(new Error("no receipt belongs to a payment")),
  },
  replies: { append: () => Effect.void, get: () => Effect.succeed("unknown") },
  history: null,
})

/** The credentials and headers of a call. */
interface Ask {
  readonly token?: string
  readonly headers?: Record<string, string>
}

/** A quote, as its buyer receives it. */
type IssuedQuote = typeof paymentBuyCredits.data.Type

/** Opens an API for one test that sells credits over a desk of its own; `makeBuying` puts another desk in its place. */
export const shop = async (
  options: Partial<ApiOptions> = {},
  makeBuying?: (desk: DeskUnderTest) => DeskUnderTest["buying"],
) => {
  const desk = await deskUnderTest()
  const buying = makeBuying?.(desk) ?? desk.buying
  const api = await apiUnderTest({ endpoints, billing: billingOf({ ledger: desk.ledger, buying }), ...options })
  const headersOf = ({ token, headers }: Ask) => ({
    ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
    ...headers,
  })
  /** Sends a request; its status, type and headers must be declared in the contract. */
  const send = async (request: InjectOptions & { readonly url: string; readonly method: "GET" | "POST" }) => {
    const reply = await api.app.inject(request)
    expect(undocumented(request.method, request.url, reply) ?? [], request.url).toEqual([])
    return reply
  }
  const post = (path: string, payload?: unknown, ask: Ask = {}) =>
    send({
      method: "POST",
      url: `/api/payment/${path}`,
      headers: headersOf(ask),
      ...(payload === undefined ? {} : { payload: payload as object }),
    })
  const get = (path: string, ask: Ask = {}) =>
    send({ method: "GET", url: `/api/payment/${path}`, headers: headersOf(ask) })
  const quote = async (amount_usd = 1): Promise<IssuedQuote> => (await post("buy-credits", { amount_usd })).json()
  /** Pays a quote, in a transaction of this name. Gives the body of its confirm. */
  const pay = (name: string, { memo, quote: { amount_units } }: IssuedQuote, more: Partial<Transaction> = {}) => {
    const paid = desk.mine(transaction(name, [transfer(buyer, Number(amount_units))], more))
    return { tx_hash: paid.hash, nonce: memo }
  }
  /** Quotes, pays and confirms. */
  const buy = async (name: string, amount_usd = 1) => {
    const confirmation = pay(name, await quote(amount_usd))
    const reply = await post("confirm", confirmation)
    return { confirmation, token: String(reply.json().token), reply }
  }
  return { desk, ...api, post, get, quote, pay, buy }
}

/** The refusal that a reply is, with its status and headers; fails where it is none of the documented form. */
export const problemOf = (reply: { statusCode: number; json: () => unknown; headers: object }) => {
  const body = reply.json()
  expect(Schema.is(Problem)(body)).toBe(true)
  expect(reply.headers).toMatchObject({
    "cache-control": "no-store",
    "content-type": "application/problem+json; charset=utf-8",
  })
  return { status: reply.statusCode, body: body as Problem & Record<string, unknown>, headers: reply.headers }
}
