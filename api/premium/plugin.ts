import { hash } from "node:crypto"
import type { FastifyInstance } from "fastify"
import { LRUCache } from "lru-cache"
import { Counter, type Registry } from "prom-client"
import { bearerOf, type LedgerClient, requestHashOf, tokenHashOf } from "../../ledger/client.ts"
import { isPremium, type PremiumEndpoint } from "../../schemas/contract/endpoint-kinds.ts"
import { fieldsParameter } from "../../schemas/contract/fields.ts"
import type { PastMeta } from "../../schemas/contract/reply.ts"
import { isTagged, loadDirectory } from "../../schemas/directory.ts"
import { instant } from "../../schemas/event.ts"
import type { Parameters } from "../../schemas/feed.ts"
import type { Exchange } from "../http/answer.ts"
import { makeParameterReader, type RequestQuery } from "../http/parameters.ts"
import { type ProblemReply, parameterProblem, problem, rateLimited } from "../http/problems.ts"
import { billingUnavailable, refusalReply } from "../http/refusals.ts"
import { JSON_TYPE, PROBLEM_TYPE } from "../http/representation.ts"
import { RateLimit, type Share, type SharePolicy, shareHeaders } from "../http/shares.ts"
import { pastHeaders } from "../past/headers.ts"
import type { PastView } from "../past/reader.ts"
import type { ApiTools, Billing, Route } from "../routes/route.ts"
import { type CallAttempt, makeGate, type PremiumCall, type PremiumOutcome } from "./gate.ts"
import { makeOfferMaker } from "./offers.ts"
import type { HistoryQuery } from "./query.ts"
import { makeReleases, type Releases } from "./releases.ts"
import type { KeptReply } from "./replies.ts"
import { makeReplyWriter, type PremiumReply } from "./reply.ts"

/** `Retry-After` where the service is at fault or its data is not there yet. */
const RETRY_SECONDS = 5

const LATE_WORDS =
  "The call could not be finished. A debit that was not settled is refunded within a minute; under an Idempotency-Key the call can be repeated without being charged twice."

/** Visible ASCII, 1 to 255 characters. Without spaces, so that two headers joined by ", " are invalid. */
const KEY = /^[\x21-\x7e]{1,255}$/u

/** SHA-256 of an Idempotency-Key; null where none was sent; `invalid` for one that is not 1 to 255 visible characters. */
const readKey = (header: string | ReadonlyArray<string> | undefined): { readonly hash: string } | null | "invalid" => {
  if (header === undefined) return null
  if (typeof header !== "string" || !KEY.test(header)) return "invalid"
  return { hash: hash("sha256", header, "hex") }
}

const INVALID_KEY = problem(
  400,
  "invalid_idempotency_key",
  "An Idempotency-Key is 1 to 255 visible ASCII characters without spaces.",
)

/**
 * Tokens that the ledger accepted before, with their accounts: their calls do not count against the share of a client, but
 * against that of the account, which a new token does not make whole again.
 */
const ACCEPTED_TOKENS_MAX = 50_000
const MINUTE_MS = 60_000

const TOKEN_REFUSALS: ReadonlySet<string> = new Set(["missing_token", "invalid_token", "expired"])

/** The query as texts; a name that was given several times has all of its values. */
const queryTexts = (query: RequestQuery): Readonly<Record<string, string>> =>
  Object.fromEntries(Object.entries(query).map(([name, value]) => [name, String(value)]))

/** Whether the ledger accepted the token; null where it did not decide. */
const verdictOf = (outcome: PremiumOutcome): boolean | null => {
  if (outcome._tag === "Late" || outcome._tag === "Wrong" || outcome._tag === "Gone") return null
  if (outcome._tag !== "Refused") return true
  const { _tag } = outcome.refusal
  return _tag === "billing_unavailable" ? null : !TOKEN_REFUSALS.has(_tag)
}

/** The headers of a reply, those of the share behind them. */
const headersOf = ({ status, price, receiptId, meta }: PremiumReply, limit: ReadonlyArray<string>): Array<string> => {
  const headers = ["X-Credits-Charged", String(price.charged), "X-Credits-Remaining", String(price.remaining)]
  if (receiptId !== null) headers.push("X-Service-Receipt-Id", receiptId)
  if (meta !== null) headers.push("X-Service-Stale", String(meta.stale))
  if (meta !== null && meta.as_of !== null) headers.push("X-Service-As-Of", meta.as_of)
  if (meta?.warming === true || status === 503) headers.push("Retry-After", String(RETRY_SECONDS))
  headers.push(...limit)
  return headers
}

/** `_meta.at` of a stored reply of the past: `now` may have been another instant. */
const pastMetaOf = ({ body }: KeptReply): PastMeta => {
  // A reply of this service.
  const { _meta } = JSON.parse(body.toString("utf8")) as { readonly _meta: { readonly at: PastMeta } }
  return _meta.at
}

const notKept = (why: "tooLarge" | "unknown"): ProblemReply =>
  problem(
    422,
    "idempotency_reply_not_kept",
    why === "tooLarge"
      ? "The reply under this key was too large to be stored (more than 1 MiB). Repeat the call under another key."
      : "The reply under this key is no longer stored. Repeat the call under another key.",
  )

/** How a premium call ended. `failed`: by a fault of the service, free of charge. */
type CallOutcome = "charged" | "free" | "failed" | "replayed" | "refused"

/** Counts of the premium calls of one API process. */
interface PremiumMetrics {
  readonly call: (endpoint: string, outcome: CallOutcome) => void
  readonly refusal: (reason: string) => void
}

/** Registers the metrics, in place of those of an earlier API of the same process. */
const premiumMetrics = (registry: Registry): PremiumMetrics => {
  const calls = "tidewire_premium_calls_total"
  const refusals = "tidewire_premium_refusals_total"
  registry.removeSingleMetric(calls)
  registry.removeSingleMetric(refusals)
  const called = new Counter({
    name: calls,
    help: "Premium calls, by how they ended",
    labelNames: ["endpoint", "outcome"],
    registers: [registry],
  })
  const refused = new Counter({
    name: refusals,
    help: "Premium calls that were refused, by reason",
    labelNames: ["reason"],
    registers: [registry],
  })
  return {
    call: (endpoint, outcome) => called.inc({ endpoint, outcome }),
    refusal: (reason) => refused.inc({ reason }),
  }
}

/** What a call is, before it is carried out. */
type PremiumIdentity = Omit<PremiumCall, "gone" | "named">

const DAY_CHARACTERS = 10

/** The request of a past call, and what was found. */
interface PastAsked {
  readonly query: RequestQuery
  /** Accepted, as canonical texts. */
  readonly parameters: Parameters
  readonly past: PastView
  /** That of an Idempotency-Key; null without one. */
  readonly attempt: CallAttempt | null
}

/**
 * What a past call is: its receipt names the instant in the place of `at`, however that was written. Without an
 * Idempotency-Key (`attempt`) an account pays once in a day (UTC) for the canonical address of a reply.
 */
const pastIdentity = (
  { method, path }: PremiumEndpoint,
  { query, parameters, past, attempt }: PastAsked,
  nowMs: number,
): Pick<PremiumCall, "past" | "request" | "attempt"> => {
  const at = past.meta.known_at
  const address = requestHashOf(method, path, { ...parameters, at })
  const key = hash("sha256", `past ${address} ${instant(nowMs).slice(0, DAY_CHARACTERS)}`, "hex")
  return {
    past,
    request: requestHashOf(method, path, { ...queryTexts(query), at }),
    attempt: attempt ?? { key, request: address, repeat: "remade" },
  }
}

/**
 * Serves the premium endpoints of the contract. A call with an accepted token counts against the limit of its account;
 * any other against the share of its client by the minute, so that the load on the ledger is bounded. A request is validated
 * before anything is debited.
 */
export const premiumPlugin =
  (tools: ApiTools) =>
  (app: FastifyInstance, _: unknown, done: () => void): void => {
    const { options, answers, coder, limits, terms } = tools
    const { nowMs, billing } = options
    const perMinute = limits.tokenRequestsPerMinute
    const perAccount = new RateLimit({ max: perMinute, windowMs: MINUTE_MS })
    // The account of a token, or the token itself while the ledger has refused its calls for other reasons.
    const accounts = new LRUCache<string, string>({ max: ACCEPTED_TOKENS_MAX })
    const metrics = premiumMetrics(tools.registry)

    let releases: Releases | null = null
    const releasesOf = (ledger: LedgerClient): Releases => {
      releases ??= makeReleases(ledger)
      return releases
    }
    app.addHook("onClose", async () => releases?.close())

    const policy: SharePolicy = { name: "minute", max: perMinute, windowSeconds: MINUTE_MS / 1000 }
    const limitHeaders = (share: Share): ReadonlyArray<string> => shareHeaders(policy, share)

    const refuse = (exchange: Exchange, reply: ProblemReply, headers: ReadonlyArray<string> = []): void => {
      metrics.refusal(reply.body.error)
      metrics.call(exchange.meter.endpoint, "refused")
      answers.problem(exchange, { ...reply, headers: [...reply.headers, ...headers] })
    }

    const logFault = (exchange: Exchange, cause: string): void => {
      const { endpoint } = exchange.meter
      options.logger.error({ endpoint, request: answers.requestIdOf(exchange), cause }, "a premium call failed")
    }

    /** Sends a body, in the coding that its caller prefers. */
    const sendBody = async (
      exchange: Exchange,
      counted: CallOutcome,
      { status, body }: { readonly status: number; readonly body: Buffer },
      headers: Array<string>,
      type = JSON_TYPE,
    ): Promise<void> => {
      metrics.call(exchange.meter.endpoint, counted)
      if (status === 200) headers.push("Vary", "Accept-Encoding")
      answers.personal(
        exchange,
        status,
        await coder.once(body, exchange.request.headers["accept-encoding"]),
        headers,
        type,
      )
    }

    /** Sends the reply to a call. `limit`: the headers of its account's share; `pastHeadersOf`: those of its reply of the past. */
    const send = (
      exchange: Exchange,
      outcome: PremiumOutcome,
      limit: ReadonlyArray<string>,
      pastHeadersOf: ((meta: PastMeta) => ReadonlyArray<string>) | null,
    ): void | Promise<void> => {
      switch (outcome._tag) {
        case "Served": {
          const { reply } = outcome
          const counted = reply.price.reason === null ? "charged" : "free"
          const at = reply.meta?.at
          const ofPast = at === undefined ? [] : (pastHeadersOf?.(at) ?? [])
          return sendBody(exchange, counted, reply, headersOf(reply, [...limit, ...ofPast]))
        }
        case "Failed": {
          const { reply, cause } = outcome
          logFault(exchange, cause)
          return sendBody(exchange, "failed", reply, headersOf(reply, limit), PROBLEM_TYPE)
        }
        case "Replayed": {
          const { reply, remaining } = outcome
          const price = ["X-Credits-Charged", "0", "X-Credits-Remaining", String(remaining)]
          const own = ["Idempotent-Replayed", "true", ...price, "X-Service-Receipt-Id", reply.receiptId]
          const ofPast = pastHeadersOf === null ? [] : pastHeadersOf(pastMetaOf(reply))
          return sendBody(exchange, "replayed", reply, [...own, ...limit, ...ofPast])
        }
        case "NotKept":
          return refuse(exchange, notKept(outcome.why), limit)
        case "Wrong": {
          const { message, ...rest } = outcome.refused
          return refuse(exchange, problem(400, "invalid_parameter", message, rest), limit)
        }
        case "Refused": {
          const { refusal } = outcome
          const reply = refusalReply(refusal, { terms, tokenStatus: 402 })
          if (reply.status === 500) logFault(exchange, refusal._tag)
          return refuse(exchange, reply, limit)
        }
        case "Late":
          logFault(exchange, outcome.cause)
          return refuse(exchange, billingUnavailable(terms, RETRY_SECONDS, LATE_WORDS), limit)
        case "Gone":
          return refuse(exchange, billingUnavailable(terms, RETRY_SECONDS), limit)
      }
    }

    const routeOf = (endpoint: PremiumEndpoint, { ledger, receipts, replies, history }: Billing): Route => {
      const { store, withheld } = options
      const offering = makeOfferMaker(endpoint, { store, queries: options.queries ?? queries, history, withheld })
      if (offering === null) throw new Error(`nothing makes the data of ${endpoint.path} (${endpoint.kind})`)
      const writer = makeReplyWriter(endpoint, receipts, nowMs)
      const gate = makeGate({
        endpoint,
        offering,
        writer,
        ledger,
        replies,
        releases: releasesOf(ledger),
        nowMs: options.judgedMs ?? nowMs,
        limits,
      })
      const read = makeParameterReader(endpoint)
      const { method, path } = endpoint
      const readFields = makeParameterReader({ path, parameters: fieldsParameter(endpoint) })
      const withoutQuery = requestHashOf(method, path, {})
      const hashOf = (query: RequestQuery): string => {
        const texts = queryTexts(query)
        return Object.keys(texts).length === 0 ? withoutQuery : requestHashOf(method, path, texts)
      }

      return async (exchange, query, client) => {
        const { headers, socket } = exchange.request
        const bearer = bearerOf(headers.authorization)
        if (typeof bearer === "string") {
          if (!tools.admit(exchange, client, "minute")) return
          const _tag = bearer === "missing" ? "missing_token" : "invalid_token"
          return refuse(exchange, refusalReply({ _tag }, { terms, tokenStatus: 402 }))
        }
        const token = tokenHashOf(bearer.token)
        // Counted first, and uncounted when the ledger accepts the token.
        const known = accounts.get(token)
        const stranger = known === undefined
        if (stranger && !tools.admit(exchange, client, "minute")) return
        let counted = known ?? token
        let share = perAccount.take(counted, nowMs())
        if (!share.allowed) {
          const message = `At most ${perMinute} premium requests a minute are answered for one account.`
          return refuse(exchange, rateLimited(share.resetSeconds, message), limitHeaders(share))
        }
        const accepted = read(query)
        if (accepted._tag === "Refused") return refuse(exchange, parameterProblem(accepted))
        const chosen = readFields(query)
        if (chosen._tag === "Refused") return refuse(exchange, parameterProblem(chosen))
        const key = readKey(headers["idempotency-key"])
        if (key === "invalid") return refuse(exchange, INVALID_KEY)

        const fields = chosen.parameters.fields?.split(",") ?? null
        const asked = { requestId: answers.requestIdOf(exchange), token, parameters: accepted.parameters, fields }
        // The parameters of the reply: those of the view, and the selected fields.
        const parameters = { ...accepted.parameters, ...chosen.parameters }
        const request = hashOf(query)
        const attempt: CallAttempt | null = key === null ? null : { key: key.hash, request, repeat: "stored" }
        let call: PremiumIdentity = { ...asked, request, attempt }
        if (query.at !== undefined) {
          const lastEventId = headers["last-event-id"]
          const past = await tools.past.read({ endpoint, accepted, at: query.at, lastEventId, client })
          if (past._tag === "Refused") return refuse(exchange, past.problem, limitHeaders(share))
          call = { ...call, ...pastIdentity(endpoint, { query, parameters, past, attempt }, nowMs()) }
        }
        const outcome = await gate({
          ...call,
          // The response of a pipelined request is not destroyed with its connection, so the socket counts too.
          gone: () => exchange.response.destroyed || socket.destroyed || socket.writableEnded,
          named: (account) => {
            if (account === counted) return
            perAccount.giveBack(counted)
            counted = account
            share = perAccount.take(account, nowMs())
          },
        })
        const pastHeadersOf = call.past === undefined ? null : (meta: PastMeta) => pastHeaders(path, parameters, meta)
        const good = verdictOf(outcome)
        if (good === true) accounts.set(token, counted)
        if (good === false) accounts.delete(token)
        if (good === true && stranger) tools.excuse(client, "minute")
        await send(exchange, outcome, good === true ? limitHeaders(share) : [], pastHeadersOf)
      }
    }

    const unbilled: Route = (exchange, _, client) => {
      if (tools.admit(exchange, client, "minute")) refuse(exchange, billingUnavailable(terms, RETRY_SECONDS))
    }
    for (const endpoint of options.endpoints.filter(isPremium))
      tools.serve(app, endpoint, billing === null ? unbilled : routeOf(endpoint, billing))
    done()
  }

/** All queries of the history: the files of `queries/`, one for each `queried` endpoint. */
export const queries: ReadonlyArray<HistoryQuery> = (await loadDirectory(new URL("queries/", import.meta.url))).flatMap(
  ({ exports }) => exports.filter(isTagged<HistoryQuery>("Query")),
)
