import type { FastifyInstance } from "fastify"
import {
  findReceipt,
  type JsonLimits,
  type JsonProblem,
  jsonProblemWords,
  type ReadJson,
  type ReceiptVerdict,
  readIJson,
  type VerifiedClaims,
  verifySent,
} from "../ledger/client.ts"
import { receiptVerifyEndpoint } from "../schemas/endpoints/receipt-verify.ts"
import { instant } from "../schemas/event.ts"
import { type ProblemReply, problem } from "./http/problems.ts"
import { keysUnavailable } from "./http/refusals.ts"
import type { ApiTools, Route } from "./routes/route.ts"

type Verified = typeof receiptVerifyEndpoint.data.Type

/** The limit of a body, which may be a whole premium reply. */
const BODY_MAX_BYTES = 256 * 1024
/** Far above the size of premium replies, and a few milliseconds of work; larger ones can be verified offline. */
const JSON_LIMITS: JsonLimits = { charactersMax: BODY_MAX_BYTES, valuesMax: 10_000, depthMax: 64 }

const utf8 = new TextDecoder("utf-8", { fatal: true })

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
  ledger:
    claims.entry === null ? null : { account_sequence: claims.entry.accountSequence, entry_sha256: claims.entry.hash },
})

const verifiedOf = ({ valid, reason, body, claims }: ReceiptVerdict): Verified => ({
  valid,
  reason,
  body,
  receipt: claims === null ? null : statedOf(claims),
})

const refusedBody = (reason: JsonProblem): ProblemReply => {
  const message = `The body ${jsonProblemWords[reason]}.`
  return reason === "too_large"
    ? problem(413, "body_too_large", `${message} A larger reply can be verified offline: npm run receipt:verify.`)
    : problem(400, "malformed_json", message)
}

/** Parses the bytes of a body as I-JSON. */
const readBody = (body: unknown): ReadJson => {
  try {
    return readIJson(Buffer.isBuffer(body) ? utf8.decode(body) : "", JSON_LIMITS)
  } catch {
    return { _tag: "Refused", problem: "not_json" }
  }
}

const verifyRoute = (tools: ApiTools): Route => {
  const { options, answers } = tools
  if (options.billing === null) return (exchange) => answers.problem(exchange, keysUnavailable(tools.terms))
  const { verify } = options.billing.receipts
  return async (exchange, _query, _client, body) => {
    const read = readBody(body)
    if (read._tag === "Refused") return answers.problem(exchange, refusedBody(read.problem))
    const sent = findReceipt(read.value)
    if (sent === null) {
      const message = "Send a reply with its member receipt {id, jws}, or {receipt} with the JWS alone."
      return answers.problem(exchange, problem(400, "missing_parameter", message, { parameter: "receipt" }))
    }
    const verified = verifiedOf(await verifySent(verify, sent))
    return answers.personal(exchange, 200, { bytes: Buffer.from(JSON.stringify(verified)), coding: "identity" }, [])
  }
}

/** Serves the verification of receipts. Needs no connection to the ledger. */
export const receiptsPlugin =
  (tools: ApiTools) =>
  (app: FastifyInstance, _: unknown, done: () => void): void => {
    // The framework's parser does not bound its work, and accepts what is not I-JSON.
    app.removeContentTypeParser(["application/json", "text/plain"])
    app.addContentTypeParser("application/json", { parseAs: "buffer" }, (_, body, parsed) => parsed(null, body))
    app.addHook("onRoute", (route) => {
      route.bodyLimit = BODY_MAX_BYTES
    })
    for (const endpoint of tools.options.endpoints)
      if (endpoint.path === receiptVerifyEndpoint.path) tools.serve(app, endpoint, verifyRoute(tools))
    done()
  }
