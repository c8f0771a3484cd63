import type { HistoryEndpoint } from "../../schemas/contract/endpoint-kinds.ts"
import type { ItemHistoryReply } from "../../schemas/contract/item-history.ts"
import type { Json } from "../../schemas/json.ts"
import { toolParameters } from "../../schemas/printers/tools.ts"
import type { ApiOptions, LocalReply } from "../routes/route.ts"
import { notForModels, queryOf } from "./data-tool.ts"
import {
  FREE_REPLY_MAX_BYTES,
  type InputSchema,
  jsonResult,
  type McpTool,
  REFUSED,
  reads,
  refusal,
  refusedArguments,
  resultOf,
  textOf,
} from "./tool.ts"

const CHANGES_MAX = 100
const CHANGES_DEFAULT = 20

const outputSchema: Json = {
  type: "object",
  properties: {
    feed: { type: "string" },
    endpoint: { type: "string" },
    ordered_by: { type: "string", description: "happened_at: event time; known_at: the feed says none" },
    changes: { type: "array", items: { type: "object" } },
    next: { type: ["string", "null"], description: "cursor of the next call; null at the end" },
  },
  required: ["feed", "endpoint", "ordered_by", "changes", "next"],
}

const INSTANT: Json = { type: "string", format: "date-time" }

const inputSchemaOf = (first: HistoryEndpoint): InputSchema => {
  // Every history has these; which feed follows from the name, and how an instant is written from its format.
  const { feed: _, from: __, to: ___, ...parameters } = toolParameters(first).properties
  return {
    type: "object",
    properties: {
      name: {
        type: "string",
        description: "Name of a dataset, as search_datasets gives it, or of a feed with changes",
      },
      from: INSTANT,
      to: INSTANT,
      ...parameters,
      limit: { type: "integer", minimum: 1, maximum: CHANGES_MAX, default: CHANGES_DEFAULT },
    },
    required: ["name"],
    additionalProperties: false,
  }
}

/** A history, and which of its feeds; null for the first. */
interface NamedHistory {
  readonly endpoint: HistoryEndpoint
  readonly feed: string | null
}

/** The histories by the names of their endpoints and of their feeds. */
const byName = (histories: ReadonlyArray<HistoryEndpoint>): ReadonlyMap<string, NamedHistory> =>
  new Map([
    ...histories.map((endpoint) => [endpoint.of.name, { endpoint, feed: null }] as const),
    ...histories.flatMap((endpoint) =>
      endpoint.of.changes.map(
        ({ feed }, _, all) => [feed.name, { endpoint, feed: all.length === 1 ? null : feed.name }] as const,
      ),
    ),
  ])

/** The cursor in a link to the next page. */
const cursorIn = (next: string | null): string | null =>
  next === null ? null : new URL(next, "http://localhost").searchParams.get("cursor")

/** The tool that reads the past of any feed, where the contract has histories. */
export const historyTools = ({
  endpoints,
  modelsClosed,
}: Pick<ApiOptions, "endpoints" | "modelsClosed">): ReadonlyArray<McpTool> => {
  const histories = endpoints.filter((one) => one.kind === "history")
  const [first] = histories
  if (first === undefined) return []
  const named = byName(histories)
  const inputSchema = inputSchemaOf(first)
  return [
    {
      definition: {
        name: "feed_history",
        title: "The past of a feed",
        description: `What appeared, changed or went of one feed, by the time at which it happened: at most ${CHANGES_MAX} changes from one instant to before another, each with both times and a link to the reply as it was known then. Give next as cursor, with the same other arguments. Free.`,
        inputSchema,
        outputSchema,
        annotations: reads,
      },
      run: async (given, { call }) => {
        const refused = refusedArguments(given, inputSchema)
        if (refused !== null) return refused
        const found = named.get(textOf(given, "name") ?? "")
        if (found === undefined)
          return refusal("unknown_dataset", "No dataset and no feed of this name has a history.", {
            parameter: "name",
            allowed: [...named.keys()].sort(),
          })
        const { endpoint, feed } = found
        const closed = modelsClosed?.get(endpoint.of.path) ?? new Set()
        // A change names who published its item, but not each source that its endpoint is made of.
        if (closed.size > 0) return notForModels([...closed], endpoint.path)
        const { name: _, limit = CHANGES_DEFAULT, ...rest } = given
        if (typeof limit !== "number" || !Number.isInteger(limit) || limit < 1 || limit > CHANGES_MAX)
          return refusal("invalid_parameter", `"limit" must be a whole number from 1 to ${CHANGES_MAX}.`)
        const query = queryOf({ ...rest, ...(feed === null ? {} : { feed }) })
        if (query === null) return refusal("invalid_parameter", "Every parameter is a text or a number.")

        const read = (max: number): Promise<LocalReply> =>
          call({ path: endpoint.path, query: { ...query, limit: String(max) }, headers: {} })
        let reply = await read(limit)
        for (let max = limit; reply.body.length > FREE_REPLY_MAX_BYTES && max > 1; ) {
          max = Math.ceil(max / 4)
          reply = await read(max)
        }
        if (reply.status >= REFUSED) return resultOf(reply)
        // A reply of this service.
        const page: ItemHistoryReply = JSON.parse(reply.body.toString("utf8"))
        // Changes are plain JSON by their schema.
        return jsonResult({ ...page, changes: page.changes as unknown as Json, next: cursorIn(page.next) })
      },
    },
  ]
}
