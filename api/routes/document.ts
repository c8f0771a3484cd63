import { Negotiator } from "@fastify/accept-negotiator"
import * as Result from "effect/Result"
import { LRUCache } from "lru-cache"
import type { DocumentEndpoint } from "../../schemas/contract/endpoint-kinds.ts"
import type { ParameterSet } from "../../schemas/contract/parameters.ts"
import type { Parameters } from "../../schemas/feed.ts"
import type { Exchange } from "../http/answer.ts"
import { type AcceptedParameters, makeParameterReader, type RequestQuery } from "../http/parameters.ts"
import { internalError, type ProblemReply, parameterProblem } from "../http/problems.ts"
import { type PreparedReply, prepareNow } from "../http/representation.ts"
import { KeptReplies, preparePage } from "../pages/page-reply.ts"
import type { InstantRequest } from "../past/reader.ts"
import type { ApiTools, Route } from "./route.ts"

/** A request for a document. */
export interface DocumentRequest {
  readonly parameters: Parameters
  /** The one of the endpoint's media types that the client prefers. */
  readonly mediaType: string
  /** The address of this service without a slash at its end: the public one, else the one reached; empty where unknown. */
  readonly address: string
}

/** Makes a document, or the problem that is sent instead. */
export type MakeDocument<Data> = (request: DocumentRequest) => Result.Result<Data, ProblemReply>

/** The implementation of a `document` endpoint. */
export interface Document {
  readonly _tag: "Document"
  readonly endpoint: DocumentEndpoint
  /** Names of the browser modules that it starts as a page; null where it is no page. */
  readonly modules: ReadonlyArray<string> | null
  /** Whether it is made anew when its time to live is over; else it is made once for its parameters. */
  readonly changes: boolean
  /** Parameters of its media type beside the charset, such as the profile of a linkset; none unless given. */
  readonly profile: string | null
  /** The value of its `Link` header below a public address; null where it has none. */
  readonly links: ((address: string) => string) | null
  /** Whether it is made when the API is built, or at its first request. */
  readonly atStart: boolean
  readonly make: (tools: ApiTools) => MakeDocument<unknown>
}

/**
 * The implementation of a `document` endpoint whose bytes change with the data: `current` returns those of now, for parameters of
 * the endpoint.
 */
export interface LiveDocument {
  readonly _tag: "LiveDocument"
  readonly endpoint: DocumentEndpoint
  readonly current: (
    tools: ApiTools,
  ) => (parameters: Parameters) => PreparedReply | Promise<PreparedReply | ProblemReply>
  /** Returns those that were known at an earlier instant; declared where the endpoint takes `at`. */
  readonly past?: (tools: ApiTools) => (request: InstantRequest) => Promise<PreparedReply | ProblemReply>
}

/** Declares the implementation of a live document, the default export of a file in `documents/`. */
export const liveDocument = (definition: Omit<LiveDocument, "_tag">): LiveDocument => ({
  _tag: "LiveDocument",
  ...definition,
})

/** Declares the implementation of a document endpoint, the default export of a file in `documents/`. */
export const document = <P extends ParameterSet, Data>(definition: {
  readonly endpoint: DocumentEndpoint<P, Data>
  /** Given for pages alone: they are HTML or Markdown, and load the stylesheet and these modules. */
  readonly modules?: ReadonlyArray<string>
  /** False unless given. */
  readonly changes?: boolean
  readonly profile?: string
  readonly links?: (address: string) => string
  /** True unless given. */
  readonly atStart?: boolean
  readonly make: (tools: ApiTools) => MakeDocument<NoInfer<Data>>
}): Document => ({
  _tag: "Document",
  endpoint: definition.endpoint,
  modules: definition.modules ?? null,
  changes: definition.changes ?? false,
  profile: definition.profile ?? null,
  links: definition.links ?? null,
  atStart: definition.atStart ?? true,
  make: definition.make,
})

const ACCEPT_MAX_CHARACTERS = 256
/** Cached documents of one endpoint, by their parameters. */
const CACHED_DOCUMENTS_MAX = 64
/** How long a rendered page is reused: its facts change with a restart alone. */
const PAGE_KEPT_MS = 60_000

const bytesOf = (body: unknown): Buffer => Buffer.from(typeof body === "string" ? body : JSON.stringify(body))

/** The media type to send: the client's preference; among equals the endpoint's; the first where none fits. */
const makeNegotiation = ({ mediaTypes }: DocumentEndpoint): ((exchange: Exchange) => string) => {
  const [first, ...others] = mediaTypes
  if (others.length === 0) return () => first
  const negotiator = new Negotiator({ supportedValues: [...mediaTypes] })
  return ({ request }) => {
    const { accept = "" } = request.headers
    return (accept.length > ACCEPT_MAX_CHARACTERS ? null : negotiator.negotiate(accept)) ?? first
  }
}

const liveRoute = ({ endpoint, current, past }: LiveDocument, tools: ApiTools): Route => {
  const { answers } = tools
  const read = makeParameterReader(endpoint)
  const find = current(tools)
  const findPast = past?.(tools)
  const findNow = async (query: RequestQuery): Promise<PreparedReply | ProblemReply> => {
    const accepted = read(query)
    return accepted._tag === "Refused" ? parameterProblem(accepted) : find(accepted.parameters)
  }
  return async (exchange, query, client) => {
    const { at } = query
    const made =
      at === undefined || findPast === undefined
        ? await findNow(query)
        : await findPast({ at, lastEventId: exchange.request.headers["last-event-id"], client })
    if ("status" in made) answers.problem(exchange, made)
    else answers.prepared(exchange, made)
  }
}

/** Makes the route of a document. */
export const documentRoute = (document: Document | LiveDocument, tools: ApiTools): Route =>
  document._tag === "LiveDocument" ? liveRoute(document, tools) : madeRoute(document, tools)

const madeRoute = (document: Document, tools: ApiTools): Route => {
  const { endpoint, modules, profile, links, make } = document
  const { answers, options } = tools
  const read = makeParameterReader(endpoint)
  const mediaTypeFor = makeNegotiation(endpoint)
  const build = make(tools)
  const kept = new LRUCache<string, { readonly reply: PreparedReply; readonly untilMs: number }>({
    max: CACHED_DOCUMENTS_MAX,
  })
  const pages = new KeptReplies(options.nowMs)
  const varies = endpoint.mediaTypes.length > 1 ? ["Vary", "Accept"] : []
  const linkHeaders = links === null ? [] : ["Link", links(options.baseUrl ?? "")]
  const contentTypeOf = (mediaType: string) =>
    profile === null ? `${mediaType}; charset=utf-8` : `${mediaType}; profile="${profile}"`

  /** Makes and caches a document, under the public address: the address of the first request must not reach later ones. */
  const keep = ({ key, parameters }: AcceptedParameters, ttlMs: number): Result.Result<PreparedReply, ProblemReply> => {
    const [mediaType] = endpoint.mediaTypes
    return Result.map(build({ parameters, mediaType, address: options.baseUrl ?? "" }), (body) => {
      const contentType = contentTypeOf(mediaType)
      const facts = { preparedAtMs: options.nowMs(), ttlMs, changesAtMs: null, asOf: null, stale: null, missing: null }
      const prepared = prepareNow(bytesOf(body), { ...facts, contentType, headers: linkHeaders })
      kept.set(key, {
        reply: prepared,
        untilMs: document.changes ? facts.preparedAtMs + ttlMs : Number.POSITIVE_INFINITY,
      })
      return prepared
    })
  }

  const atStart = read({})
  if (document.atStart && atStart._tag === "Accepted" && endpoint.ttlMs(atStart.parameters) > 0)
    keep(atStart, endpoint.ttlMs(atStart.parameters))

  const sendPage = async (
    exchange: Exchange,
    key: string,
    mediaType: string,
    made: () => Result.Result<unknown, ProblemReply>,
  ): Promise<void> => {
    const reply = await pages.get(key, PAGE_KEPT_MS, async () => {
      const page = made()
      if (Result.isFailure(page)) return null
      const headers = [...varies, ...linkHeaders]
      return preparePage(String(page.success), { mediaType, nowMs: options.nowMs(), headers })
    })
    if (reply === null) answers.problem(exchange, internalError())
    else answers.prepared(exchange, reply)
  }

  return (exchange, query) => {
    const accepted = read(query)
    if (accepted._tag === "Refused") return answers.problem(exchange, parameterProblem(accepted))
    const ready = kept.get(accepted.key)
    if (ready !== undefined && options.nowMs() < ready.untilMs) return answers.prepared(exchange, ready.reply)
    const { parameters } = accepted
    const ttlMs = endpoint.ttlMs(parameters)
    if (ttlMs > 0) {
      const made = keep(accepted, ttlMs)
      return Result.isSuccess(made) ? answers.prepared(exchange, made.success) : answers.problem(exchange, made.failure)
    }
    const mediaType = mediaTypeFor(exchange)
    const address = answers.addressOf(exchange)
    const made = () => build({ parameters, mediaType, address })
    if (modules !== null) return sendPage(exchange, `${mediaType} ${address}`, mediaType, made)
    const now = made()
    if (Result.isFailure(now)) return answers.problem(exchange, now.failure)
    const headers = ["Content-Type", contentTypeOf(mediaType), ...varies, ...linkHeaders]
    answers.fleeting(exchange, 200, bytesOf(now.success), headers)
  }
}
