import type { FastifyInstance } from "fastify"
import { findReceipt, type ReceiptVerdict, type VerifiedClaims, verifySent } from "../ledger/client.ts"
import { jwksEndpoint } from "../schemas/endpoints/jwks.ts"
import { receiptVerifyEndpoint } from "../schemas/endpoints/receipt-verify.ts"
import { instant } from "../schemas/event.ts"
import { problem } from "./problems.ts"
import { billingUnavailable } from "./refusals.ts"
import { prepareNow } from "./representation.ts"
import type { Route } from "./routes.ts"
import type { ApiTools } from "./server.ts"

type Verified = typeof receiptVerifyEndpoint.data.Type

/** A whole reply is sent back to be verified, and it may be as large as those that are kept. */
const BODY_BYTES_MAX = 1024 * 1024
const RETRY_SECONDS = 30

const statedOf = (claims: VerifiedClaims): NonNullable<Verified["receipt"]> => ({
  id: claims.id,
  issuer: claims.issuer,
  kid: claims.kid,
  time: instant(claims.atMs),
  endpoint: claims.endpoint,
  request_sha256: claims.requestHash,
  response_sha256: claims.responseHash,
  credits: claims.credits,
  reason: claims.reason,
  ledger: claims.entry === null ? null : { sequence: claims.entry.sequence, entry_sha256: claims.entry.hash },
})

const verifiedOf = ({ valid, reason, body, claims }: ReceiptVerdict): Verified => ({
  valid,
  reason,
  body,
  receipt: claims === null ? null : statedOf(claims),
})

const unavailable =
  ({ answers, terms }: ApiTools): Route =>
  (exchange) =>
    answers.problem(
      exchange,
      billingUnavailable(
        terms,
        RETRY_SECONDS,
        "The keys of receipts are not at hand here. Ask again after Retry-After.",
      ),
    )

const jwksRoute = (tools: ApiTools): Route => {
  const { options, answers } = tools
  if (options.billing === null) return unavailable(tools)
  const prepared = prepareNow(Buffer.from(JSON.stringify(options.billing.receipts.jwks)), {
    preparedAtMs: options.nowMs(),
    ttlMs: jwksEndpoint.ttlMs({}),
    asOf: null,
    stale: null,
    warming: false,
  })
  return (exchange) => answers.prepared(exchange, prepared)
}

const verifyRoute = (tools: ApiTools): Route => {
  const { options, answers } = tools
  if (options.billing === null) return unavailable(tools)
  const { verify } = options.billing.receipts
  return async (exchange, _query, _client, body) => {
    const sent = findReceipt(body)
    if (sent === null) {
      const message = "Send a reply with its member receipt {id, jws}, or {receipt} with the JWS alone."
      return answers.problem(exchange, problem(400, "missing_parameter", message, { parameter: "receipt" }))
    }
    const verified = verifiedOf(await verifySent(verify, sent))
    return answers.personal(exchange, 200, Buffer.from(JSON.stringify(verified)), [])
  }
}

/** Serves the keys of receipts, and verifies them. Needs the keys alone: the ledger may be away. */
export const receiptsPlugin =
  (tools: ApiTools) =>
  (app: FastifyInstance, _: unknown, done: () => void): void => {
    // Of the framework's own: a body that is not JSON is refused, not read as a text.
    app.removeContentTypeParser("text/plain")
    app.addHook("onRoute", (route) => {
      route.bodyLimit = BODY_BYTES_MAX
    })
    const routes = new Map([
      [jwksEndpoint.path, jwksRoute],
      [receiptVerifyEndpoint.path, verifyRoute],
    ])
    for (const endpoint of tools.options.endpoints) {
      const route = routes.get(endpoint.path)
      if (route !== undefined) tools.serve(app, endpoint, route(tools), { counted: true })
    }
    done()
  }
