import * as Schema from "effect/Schema"
import { PremiumFailure, PremiumPaymentRequired } from "./refusal.ts"
import { Problem } from "./reply.ts"

// The possible responses to a request, as facts of the contract. OpenAPI is rendered from them, and tests compare replies
// with them.

/** Headers that depend on the endpoint; general headers of HTTP, security and CORS are on every reply. */
export type HeaderName =
  | "Allow"
  | "Cache-Control"
  | "Content-Disposition"
  | "Content-Location"
  | "Deprecation"
  | "ETag"
  | "Idempotent-Replayed"
  | "Last-Modified"
  | "Link"
  | "Memento-Datetime"
  | "RateLimit"
  | "RateLimit-Limit"
  | "RateLimit-Policy"
  | "RateLimit-Remaining"
  | "RateLimit-Reset"
  | "Retry-After"
  | "Sunset"
  | "Vary"
  | "WWW-Authenticate"
  | "X-Accel-Buffering"
  | "X-Credits-Charged"
  | "X-Credits-Remaining"
  | "X-Service-As-Of"
  | "X-Service-Deprecation"
  | "X-Service-Next-Cursor"
  | "X-Service-Pricing"
  | "X-Service-Receipt-Id"
  | "X-Service-Stale"

/** The body of a response: the endpoint's own reply, a schema, or one of several problems by their `error`. */
export type ResponseBody =
  | { readonly _tag: "Reply"; readonly mediaTypes: ReadonlyArray<string> }
  | { readonly _tag: "Schema"; readonly mediaType: string; readonly schema: Schema.Top }
  | { readonly _tag: "ByError"; readonly mediaType: string; readonly schemas: Readonly<Record<string, Schema.Top>> }

/** One possible response to a request. */
export interface ResponseFact {
  readonly description: string
  readonly headers: ReadonlyArray<HeaderName>
  /** Null for a response without a body. */
  readonly body: ResponseBody | null
}

/** The possible responses of an endpoint, by status. */
export type Responses = Readonly<Record<string, ResponseFact>>

const JSON_TYPE = "application/json"
const PROBLEM_TYPE = "application/problem+json"

const rateHeaders = [
  "RateLimit",
  "RateLimit-Limit",
  "RateLimit-Policy",
  "RateLimit-Remaining",
  "RateLimit-Reset",
] as const
const noticeHeaders = ["Deprecation", "Link", "Sunset", "X-Service-Deprecation"] as const
const cacheHeaders = ["Cache-Control", "ETag", "Last-Modified", "Vary"] as const
const viewHeaders = ["X-Service-As-Of", "X-Service-Stale"] as const
const pastHeaders = ["Content-Location", "Link", "Memento-Datetime"] as const
const costHeaders = ["X-Credits-Charged", "X-Credits-Remaining", "X-Service-Receipt-Id"] as const

/** A refusal as problem details, with `headers` beside those of every refusal. */
export const problemResponse = (
  description: string,
  headers: ReadonlyArray<HeaderName> = [],
  schemas: Schema.Top | Readonly<Record<string, Schema.Top>> = Problem,
): ResponseFact => ({
  description,
  headers: ["Cache-Control", ...headers, ...rateHeaders],
  body: Schema.isSchema(schemas)
    ? { _tag: "Schema", mediaType: PROBLEM_TYPE, schema: schemas }
    : { _tag: "ByError", mediaType: PROBLEM_TYPE, schemas },
})

/** A successful reply other than the 200. */
export const otherReply = (
  description: string,
  schema: Schema.Top,
  headers: ReadonlyArray<HeaderName>,
): ResponseFact => ({
  description,
  headers: ["Cache-Control", ...headers],
  body: { _tag: "Schema", mediaType: JSON_TYPE, schema },
})

/** Responses that several endpoints share, by their names in the OpenAPI document. */
export const shared = {
  Problem400: problemResponse("A parameter is missing or wrong, or the request is not well-formed"),
  Problem404: problemResponse(
    "There is nothing at this path (not_found), or this installation does not offer its endpoint (not_offered), or keeps no history for it (not_configured)",
    ["Link"],
  ),
  AtProblem400: problemResponse(
    "A parameter is missing or wrong, or the request is not well-formed; or `at` is malformed (invalid_at), in the future (future_instant), above the watermark (not_settled), a cursor of another log (other_log) or ahead of this one (future_cursor), or stands beside Last-Event-ID (conflicting_places)",
  ),
  NoPast: problemResponse(
    "There is no past of this reply: it was not kept yet (before_history), it is fetched or made on request (no_history), it holds data that may no longer be shown (withdrawn), or this installation keeps no past (not_configured)",
  ),
  Problem405: problemResponse("The path takes other methods: see Allow", ["Allow"]),
  Problem408: problemResponse("The request did not arrive in time"),
  Problem413: problemResponse("The body is too large"),
  Problem414: problemResponse("The address is too long"),
  Problem415: problemResponse("The body is not JSON"),
  Problem429: problemResponse("The client's share is used up: see Retry-After", ["Retry-After"]),
  Problem431: problemResponse("The headers are too large"),
  Problem500: problemResponse("The service failed to answer"),
  NoTable: problemResponse(
    "The format has no reply without data: warming while data may come, else not_configured or not_licensed; or the past cannot be read at the moment (past_unavailable)",
    ["Retry-After"],
  ),
  PastUnavailable: problemResponse("The past cannot be read at the moment (past_unavailable): see Retry-After", [
    "Retry-After",
  ]),
  Unauthorized: problemResponse(
    "The token is missing or not valid: missing_token, invalid_token, expired",
    ["WWW-Authenticate", "X-Service-Pricing"],
    PremiumPaymentRequired,
  ),
  PaymentRequired: problemResponse(
    "The call requires a valid token with enough credits: missing_token, invalid_token, expired, insufficient_credits",
    ["X-Service-Pricing"],
    PremiumPaymentRequired,
  ),
  BillingUnavailable: problemResponse(
    "Billing is unavailable: billing_unavailable. Nothing was charged",
    ["Retry-After", "X-Service-Pricing"],
    PremiumPaymentRequired,
  ),
} as const satisfies Readonly<Record<string, ResponseFact>>

const ofEveryPath: Responses = {
  400: shared.Problem400,
  405: shared.Problem405,
  408: shared.Problem408,
  414: shared.Problem414,
  429: shared.Problem429,
  431: shared.Problem431,
  500: shared.Problem500,
}

const ofPast: Responses = { 400: shared.AtProblem400, 404: shared.NoPast, 503: shared.PastUnavailable }

const ofBodies: Responses = { 413: shared.Problem413, 415: shared.Problem415 }

const ofPremium: Responses = {
  402: shared.PaymentRequired,
  409: problemResponse("The first request under this Idempotency-Key is still in progress", ["Retry-After"]),
  422: problemResponse("The Idempotency-Key was used for a different request, or its reply is no longer stored"),
  429: problemResponse(
    "The share of the client or of its account is used up (rate_limited), or too many calls of the account have ended free of charge today, which refuses only calls that may end so (free_allowance_spent): see Retry-After",
    ["Retry-After"],
  ),
  500: problemResponse(
    "The service failed to answer. Nothing was charged, as the receipt states",
    costHeaders,
    PremiumFailure,
  ),
  503: problemResponse(
    "Billing (billing_unavailable), the data (history_unavailable, with a receipt) or the past (past_unavailable) is unavailable. Nothing was charged",
    ["Retry-After", "X-Service-Pricing", ...costHeaders],
    {
      billing_unavailable: PremiumPaymentRequired,
      history_unavailable: PremiumFailure,
      past_unavailable: Problem,
    },
  ),
}

/** The facts that decide the responses of an endpoint. */
export interface ResponseRules {
  /** Description of the 200. */
  readonly description: string
  readonly mediaTypes: ReadonlyArray<string>
  readonly method: "GET" | "POST"
  readonly isPremium: boolean
  /** Whether the reply has formats that are saved as files. */
  readonly isFile: boolean
  /** Whether the reply has `_meta`, and may be asked for as it was (`at`). */
  readonly hasMeta: boolean
  /** Whether a reply without `_meta` may be asked for as it was (`at`). False unless given. */
  readonly hasPast?: boolean
  /** Whether the bytes are prepared and have an entity tag. */
  readonly isCached: boolean
  /** Whether replies show the rest of the share. */
  readonly showsShare: boolean
  /** Whether the reply has links beside its body. */
  readonly hasLinks?: boolean
  /** Whether a proxy must pass on each byte as it comes. */
  readonly isUnbuffered?: boolean
  /** Whether the endpoint or a field of it is deprecated, which every reply announces. */
  readonly isDeprecated?: boolean
  /** Responses that only this endpoint has. */
  readonly own: Responses
}

/** Responses that announce a deprecation, each. */
const announced = (responses: Responses): Responses =>
  Object.fromEntries(
    Object.entries(responses).map(([status, fact]) => [
      status,
      { ...fact, headers: [...new Set([...fact.headers, ...noticeHeaders])] },
    ]),
  )

/** The responses of an endpoint, its 200 included: those of its kind and its own. */
export const responsesOf = (facts: ResponseRules): Responses => {
  const { hasMeta, hasPast = hasMeta, isCached, isFile, isPremium, mediaTypes } = facts
  const served: ResponseFact = {
    description: facts.description,
    headers: [
      ...(isCached ? cacheHeaders : (["Cache-Control"] as const)),
      ...(hasMeta ? ([...viewHeaders, "Retry-After"] as const) : []),
      ...(hasPast ? pastHeaders : []),
      ...(isPremium ? (["Idempotent-Replayed", "Vary", ...costHeaders] as const) : []),
      ...(isFile ? (["Content-Disposition"] as const) : []),
      ...(mediaTypes.length > 1 && !isCached ? (["Vary"] as const) : []),
      ...(facts.showsShare ? rateHeaders : []),
      ...(facts.hasLinks ? (["Link"] as const) : []),
      ...(facts.isUnbuffered ? (["X-Accel-Buffering"] as const) : []),
    ],
    body: { _tag: "Reply", mediaTypes },
  }
  const notModified: ResponseFact = {
    description: "The client holds these bytes already",
    headers: [
      ...cacheHeaders,
      ...(hasMeta ? viewHeaders : []),
      ...(hasPast ? pastHeaders : []),
      ...rateHeaders,
      ...(facts.hasLinks ? (["Link"] as const) : []),
    ],
    body: null,
  }
  const responses: Responses = {
    200: served,
    ...(isCached ? { 304: notModified } : {}),
    ...ofEveryPath,
    ...(facts.method === "POST" ? ofBodies : {}),
    ...(hasPast ? ofPast : {}),
    ...(isPremium ? ofPremium : {}),
    ...(isFile ? { 503: shared.NoTable } : {}),
    ...facts.own,
  }
  return facts.isDeprecated === true ? announced(responses) : responses
}
