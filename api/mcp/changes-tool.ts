import type { Change } from "../../schemas/change.ts"
import { changesEndpoint } from "../../schemas/endpoints/changes.ts"
import type { Json } from "../../schemas/json.ts"
import { toolParameters } from "../../schemas/printers/tools.ts"
import type { ApiOptions } from "../routes/route.ts"
import { queryOf } from "./data-tool.ts"
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
} from "./tool.ts"

const CHANGES_MAX = 100
const CHANGES_DEFAULT = 20

const { wait: _, ...parameters } = toolParameters(changesEndpoint).properties

const inputSchema: InputSchema = {
  type: "object",
  properties: {
    ...parameters,
    limit: { type: "integer", minimum: 1, maximum: CHANGES_MAX, default: CHANGES_DEFAULT },
  },
  additionalProperties: false,
}

const outputSchema: Json = {
  type: "object",
  properties: {
    changes: { type: "array", items: { type: "object" } },
    next: { type: ["string", "null"], description: "after of the next call" },
    up_to_date: { type: "boolean", description: "Whether nothing follows yet" },
    not_for_models: {
      type: "array",
      items: { type: "string" },
      description: "Feeds whose terms forbid their changes to language models: left out",
    },
  },
  required: ["changes", "next", "up_to_date", "not_for_models"],
}

/** The members of a page that a result has, too. */
interface Page {
  readonly changes: ReadonlyArray<Change>
  readonly next: string | null
  readonly up_to_date: boolean
}

/** The first changes of a page that a result holds, and the cursor behind them. */
const within = (page: Page, bytesMax: number): Page => {
  let bytes = 0
  const fitting = page.changes.findIndex((change) => {
    bytes += Buffer.byteLength(JSON.stringify(change)) + 1
    return bytes > bytesMax
  })
  if (fitting === -1) return page
  const changes = page.changes.slice(0, fitting)
  return { changes, next: changes.at(-1)?.cursor ?? page.next, up_to_date: false }
}

/** The tool that reads what is new, where the contract has changes. */
export const changesTools = ({
  endpoints,
  modelsClosed,
}: Pick<ApiOptions, "endpoints" | "modelsClosed">): ReadonlyArray<McpTool> => {
  if (!endpoints.some(({ path }) => path === changesEndpoint.path)) return []
  // A change names who published its item, but not each source that its endpoint is made of: of one, all are left out.
  const isClosed = ({ endpoint }: Change): boolean => (modelsClosed?.get(`/api/${endpoint}`)?.size ?? 0) > 0
  return [
    {
      definition: {
        name: "recent_changes",
        title: "What is new",
        description: `What appeared, changed or went, of every live feed or of some: at most ${CHANGES_MAX} changes, each with the item, the item before, and both times. Without after: the newest. Give next as after in the next call, and nothing is missed. Free.`,
        inputSchema,
        outputSchema,
        annotations: reads,
      },
      run: async (given, { call }) => {
        const refused = refusedArguments(given, inputSchema)
        if (refused !== null) return refused
        const { limit = CHANGES_DEFAULT } = given
        if (typeof limit !== "number" || !Number.isInteger(limit) || limit < 1 || limit > CHANGES_MAX)
          return refusal("invalid_parameter", `"limit" must be a whole number from 1 to ${CHANGES_MAX}.`)
        const query = queryOf({ ...given, limit })
        if (query === null)
          return refusal("invalid_parameter", "Every parameter is a text, a number or a list of them.")
        const reply = await call({ path: changesEndpoint.path, query, headers: {} })
        if (reply.status >= REFUSED) return resultOf(reply)
        // A reply of this service.
        const page: Page = JSON.parse(reply.body.toString("utf8"))
        const open = page.changes.filter((change) => !isClosed(change))
        const closed = new Set(page.changes.filter(isClosed).map(({ feed }) => feed))
        const { changes, next, up_to_date } = within({ ...page, changes: open }, FREE_REPLY_MAX_BYTES)
        // Changes are plain JSON by their schema.
        return jsonResult({ changes: changes as unknown as Json, next, up_to_date, not_for_models: [...closed].sort() })
      },
    },
  ]
}
