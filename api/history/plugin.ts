import * as Effect from "effect/Effect"
import type { FastifyInstance } from "fastify"
import PQueue from "p-queue"
import type { HistoryEndpoint } from "../../schemas/contract/endpoint-kinds.ts"
import { endpointName } from "../../schemas/contract/envelope.ts"
import { historyAtom } from "../../schemas/contract/history-atom.ts"
import { cursorOf } from "../../schemas/contract/history-cursor.ts"
import { type ItemHistoryReply, isByEventTime, pastLink } from "../../schemas/contract/item-history.ts"
import { queryParameters } from "../../schemas/contract/renditions.ts"
import { instant } from "../../schemas/event.ts"
import { instanceKey, type Parameters } from "../../schemas/feed.ts"
import { csvOf } from "../../schemas/formats/csv.ts"
import { contentTypeOf } from "../../schemas/formats/format.ts"
import { rowsOf } from "../../schemas/formats/table.ts"
import type { Json } from "../../schemas/json.ts"
import { isUnprepared } from "../../schemas/ports/history.ts"
import type { HistoryPage, ItemHistory } from "../../schemas/ports/item-history.ts"
import { type ProblemReply, problem } from "../http/problems.ts"
import { JSON_TYPE, prepareChosen } from "../http/representation.ts"
import type { ApiTools, Route } from "../routes/route.ts"
import { type HistoryRequest, makeRequestReader } from "./request.ts"

/** Pages that are read at the same time, and that wait for their turn: the history has writers and analysts, too. */
const READS_AT_ONCE = 4
const READS_WAITING_MAX = 64
const READ_MAX_TIME = "10 seconds"
const RETRY_SECONDS = 5

/** New changes come at the open end. Into the past, only what becomes known late. */
const OPEN = "public, max-age=10"
const CLOSED = "public, max-age=600"
const CLOSED_AFTER_MS = 3_600_000

const notConfigured = (): ProblemReply => problem(404, "not_configured", "This installation keeps no history.")

const unavailable = (): ProblemReply =>
  problem(
    503,
    "history_unavailable",
    "The history cannot be read at the moment. Retry after Retry-After.",
    { retry_after_seconds: RETRY_SECONDS },
    ["Retry-After", String(RETRY_SECONDS)],
  )

/** 404: whatever changed in the time that is asked for, nothing of it is held. That is not the same as that nothing changed. */
const beforeHistory = (firstMs: number): ProblemReply =>
  problem(404, "before_history", "This history begins at `first`, after the time that is asked for.", {
    parameter: "to",
    first: instant(firstMs),
  })

/** A page, or that the history begins after it. */
const readPage = Effect.fnUntraced(function* (history: ItemHistory, { range, behind, max }: HistoryRequest) {
  const page = yield* history.page(range, behind, max)
  const isNothing = page.changes.length === 0 && page.next === null && behind === null
  if (!isNothing || range.toMs === null) return page
  const firstMs = yield* history.firstMs
  return firstMs !== null && range.toMs <= firstMs ? beforeHistory(firstMs) : page
})

/** Reads pages, a few at a time; null where the history cannot be read now. `log` notes what no retry mends. */
const makeReader = (history: ItemHistory, log: (cause: string) => void) => {
  const queue = new PQueue({ concurrency: READS_AT_ONCE })
  return async (request: HistoryRequest): Promise<HistoryPage | ProblemReply | null> => {
    if (queue.size >= READS_WAITING_MAX) return null
    const page = readPage(history, request).pipe(
      Effect.timeoutOrElse({ duration: READ_MAX_TIME, orElse: () => Effect.succeed(null) }),
      Effect.catch((failure) =>
        Effect.sync(() => {
          const passes =
            failure._tag === "HistoryUnavailable" || (failure._tag === "HistoryRefused" && isUnprepared(failure))
          if (!passes) log(failure.message)
          return null
        }),
      ),
    )
    return queue.add(() => Effect.runPromise(page))
  }
}

/** The parameters of a request that differ from the defaults. */
const chosenOf = (endpoint: HistoryEndpoint, { parameters }: HistoryRequest): Parameters => {
  const declared = queryParameters(endpoint)
  return Object.fromEntries(Object.entries(parameters).filter(([name, text]) => declared[name]?.default !== text))
}

const replyOf = (endpoint: HistoryEndpoint, request: HistoryRequest, page: HistoryPage): ItemHistoryReply => {
  const { path, of } = endpoint
  const { range, parameters } = request
  const nextOf = (cursor: string): string => instanceKey(path, { ...chosenOf(endpoint, request), cursor })
  return {
    feed: range.feed,
    endpoint: endpointName(of),
    ordered_by: isByEventTime(endpoint, range.feed) ? "happened_at" : "known_at",
    changes: page.changes.map((change) => ({ ...change, at: pastLink(of, change.parameters, change.cursor) })),
    next: page.next === null ? null : nextOf(cursorOf(path, parameters, page.next)),
  }
}

/** A reply as CSV. Replies are plain JSON, and have the list that the table is of. */
const csvText = ({ table }: HistoryEndpoint, reply: ItemHistoryReply): string => {
  const rows = table === null ? null : rowsOf(table, reply as unknown as Json)
  return rows === null ? "" : csvOf(rows)
}

const historyRoute = (endpoint: HistoryEndpoint, tools: ApiTools, read: ReturnType<typeof makeReader>): Route => {
  const { answers, coder, options } = tools
  const readRequest = makeRequestReader(endpoint)
  const disposition = `attachment; filename="${endpointName(endpoint).replaceAll("/", "-")}.csv"`

  return async (exchange, query) => {
    const request = readRequest(query)
    if (request._tag === "Refused") return answers.problem(exchange, request.problem)
    const page = await read(request)
    if (page === null) return answers.problem(exchange, unavailable())
    if ("status" in page) return answers.problem(exchange, page)
    const reply = replyOf(endpoint, request, page)
    const { format } = request
    const nowMs = options.nowMs()
    const body = Buffer.from(
      format === "csv"
        ? csvText(endpoint, reply)
        : format === "atom"
          ? historyAtom(endpoint, reply, {
              parameters: chosenOf(endpoint, request),
              address: answers.addressOf(exchange),
              nowMs,
            })
          : JSON.stringify(reply),
    )
    const isClosed = request.range.toMs !== null && request.range.toMs + CLOSED_AFTER_MS <= nowMs
    const encoded = await coder.once(body, exchange.request.headers["accept-encoding"])
    const facts = {
      ...{ preparedAtMs: nowMs, ttlMs: 0, changesAtMs: null, asOf: null, stale: null, missing: null },
      contentType: format === "json" ? JSON_TYPE : contentTypeOf[format],
      cacheControl: isClosed ? CLOSED : OPEN,
      headers: [
        ...(format === "csv" ? ["Content-Disposition", disposition] : []),
        ...(reply.next === null ? [] : ["Link", `<${reply.next}>; rel="next"`]),
      ],
    }
    answers.prepared(exchange, prepareChosen(body, encoded, facts))
  }
}

/** Serves the histories of endpoints: the changes of their items by event time. */
export const historyPlugin =
  (tools: ApiTools) =>
  (app: FastifyInstance, _: unknown, done: () => void): void => {
    const { options, answers, serve } = tools
    const history = options.itemHistory ?? null
    const read =
      history === null
        ? null
        : makeReader(history, (cause) => options.logger.error({ cause }, "a history could not be read"))
    for (const endpoint of options.endpoints)
      if (endpoint.kind === "history")
        serve(
          app,
          endpoint,
          read === null
            ? (exchange) => answers.problem(exchange, notConfigured())
            : historyRoute(endpoint, tools, read),
        )
    done()
  }
