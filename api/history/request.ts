import type { HistoryEndpoint } from "../../schemas/contract/endpoint-kinds.ts"
import { placeOf } from "../../schemas/contract/history-cursor.ts"
import { instantsOfDay } from "../../schemas/contract/parameters.ts"
import { queryParameters } from "../../schemas/contract/renditions.ts"
import type { Parameters } from "../../schemas/feed.ts"
import { type Format, formats } from "../../schemas/formats/format.ts"
import { type HistoryPlace, type HistoryRange, historyOrders } from "../../schemas/ports/item-history.ts"
import { makeParameterReader, type RequestQuery } from "../http/parameters.ts"
import { type ProblemReply, parameterProblem, problem } from "../http/problems.ts"

/** What a request for a page of a history asks for. */
export interface HistoryRequest {
  readonly _tag: "HistoryRequest"
  readonly range: HistoryRange
  readonly behind: HistoryPlace | null
  readonly max: number
  readonly format: Format
  /** Accepted, as canonical texts. */
  readonly parameters: Parameters
}

type Refused = { readonly _tag: "Refused"; readonly problem: ProblemReply }

const refused = (reply: ProblemReply): Refused => ({ _tag: "Refused", problem: reply })

const INSTANTS = ["from", "to"] as const

/** 400: a day where an instant is wanted. */
const dayProblem = (query: RequestQuery): ProblemReply | null => {
  for (const parameter of INSTANTS) {
    const text = query[parameter]
    const allowed = typeof text === "string" ? instantsOfDay(text) : null
    if (allowed !== null)
      return problem(
        400,
        "invalid_parameter",
        `"${parameter}" takes an instant with its zone. A day is none: its begin and its end are those in allowed (UTC).`,
        { parameter, allowed },
      )
  }
  return null
}

const msOf = (text: string | undefined): number | null => (text === undefined ? null : Date.parse(text))

/** Makes the reader of the requests of a history. A parameter that it does not have is refused: a misspelt bound would be none. */
export const makeRequestReader = (endpoint: HistoryEndpoint): ((query: RequestQuery) => HistoryRequest | Refused) => {
  const { path, of } = endpoint
  const declared = queryParameters(endpoint)
  const read = makeParameterReader({ path, parameters: declared })
  const names = Object.keys(declared)
  const [onlyFeed] = of.changes.map(({ feed }) => feed.name)
  return (query) => {
    if (Object.keys(query).some((name) => !names.includes(name)))
      return refused(
        problem(400, "unknown_parameter", "This endpoint takes the parameters in allowed, and no other.", {
          allowed: names,
        }),
      )
    const day = dayProblem(query)
    if (day !== null) return refused(day)
    const accepted = read(query)
    if (accepted._tag === "Refused") return refused(parameterProblem(accepted))
    const { parameters } = accepted
    const [fromMs, toMs] = [msOf(parameters.from), msOf(parameters.to)]
    if (fromMs !== null && toMs !== null && fromMs > toMs)
      return refused(
        problem(
          400,
          "invalid_parameter",
          '"from" is after "to": changes from the one on and before the other are served.',
          {
            parameter: "from",
          },
        ),
      )
    const behind = parameters.cursor === undefined ? null : placeOf(path, parameters, parameters.cursor)
    if (parameters.cursor !== undefined && behind === null)
      return refused(
        problem(
          400,
          "invalid_cursor",
          "This cursor is none that a reply has given, or of other parameters: follow next as it is, or begin without one.",
          { parameter: "cursor" },
        ),
      )
    return {
      _tag: "HistoryRequest",
      range: {
        feed: parameters.feed ?? onlyFeed ?? "",
        fromMs,
        toMs,
        order: historyOrders.find((one) => one === parameters.order) ?? "desc",
      },
      behind,
      max: Number(parameters.limit),
      format: formats.find((one) => one === parameters.format) ?? "json",
      parameters,
    }
  }
}
