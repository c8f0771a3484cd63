import { type Endpoint, isPremium } from "../../schemas/contract/endpoint-kinds.ts"
import type { Meta } from "../../schemas/contract/reply.ts"
import type { RestReason } from "../../schemas/events/observations.ts"
import type { Json } from "../../schemas/json.ts"
import { outlineOf } from "../../schemas/printers/outline.ts"
import { argumentText, type Tool } from "../../schemas/printers/tools.ts"
import type { LocalReply } from "../routes/route.ts"
import {
  type Arguments,
  type Caller,
  freeResultOf,
  type InputSchema,
  type McpTool,
  REFUSED,
  reads,
  refusal,
  refusedArguments,
  resultOf,
  spends,
  type ToolResult,
  textOf,
} from "./tool.ts"

/** The argument that makes a paid call safe to repeat. */
export const IDEMPOTENCY_KEY = "idempotency_key"

/** Its schema. The same key gives the same reply, charged once, also when a client repeats a call that was cut off. */
export const idempotencyKey: Json = {
  type: "string",
  minLength: 1,
  maxLength: 255,
  pattern: "^[!-~]+$",
  description: "A new random text for each purchase; repeat it with a call that was cut off: charged once in 24 hours",
}

/** An endpoint of data, and its definition as a tool. */
export interface Dataset {
  readonly endpoint: Endpoint
  readonly tool: Tool
  /** Names in `_meta.sources` of sources whose data may not be given to language models. */
  readonly closed: ReadonlySet<string>
}

const FORBIDDEN_REASON = "not_licensed" satisfies RestReason

/** The refusal of a reply with data of these sources. */
export const notForModels = (names: ReadonlyArray<string>, path: string): ToolResult =>
  refusal(
    FORBIDDEN_REASON,
    `The terms of ${names.join(", ")} forbid giving this data to language models: it is served by GET ${path} alone.`,
    { path },
  )

/** The names among those of a reply's sources that have answered; all of them where the data does not name its sources. */
export const closedIn = ({ status, body }: LocalReply, closed: ReadonlySet<string>): ReadonlyArray<string> => {
  if (closed.size === 0 || status >= REFUSED) return []
  // A reply of this service.
  const { _meta } = JSON.parse(body.toString("utf8")) as { readonly _meta?: Pick<Meta, "sources"> }
  if (_meta === undefined) return [...closed]
  return _meta.sources.flatMap(({ name, status }) => (status !== null && closed.has(name) ? [name] : []))
}

/** The price and the path of a dataset, for programs. */
const priceFacts = ({ endpoint, tool }: Dataset): Readonly<Record<string, Json>> => ({
  "tidewire/path": tool.path,
  "tidewire/credits": tool.credits,
  ...(isPremium(endpoint) ? { "tidewire/no_charge": endpoint.noCharge.map(({ reason }) => reason) } : {}),
})

/** The texts of a query; null where an argument is no text, number or list of them. */
export const queryOf = (given: Arguments): Readonly<Record<string, string>> | null => {
  const query: Record<string, string> = {}
  for (const [name, value] of Object.entries(given)) {
    // Arguments are decoded JSON.
    const text = argumentText(value as Json)
    if (text === null) return null
    query[name] = text
  }
  return query
}

/** Calls the endpoint of a dataset. Only a premium one gets the token of the caller. */
export const callDataset = async (
  { tool, closed }: Dataset,
  given: Arguments,
  key: string | null,
  { authorization, call }: Caller,
): Promise<ToolResult> => {
  const query = queryOf(given)
  if (query === null)
    return refusal("invalid_parameter", "Every parameter of a dataset is a text, a number or a list of them.")
  if (tool.tier === "free") {
    const reply = await call({ path: tool.path, query, headers: {} })
    const names = closedIn(reply, closed)
    return names.length > 0 ? notForModels(names, tool.path) : freeResultOf(reply, tool.path)
  }
  // Refused before the call, which would be charged.
  if (closed.size > 0) return notForModels([...closed], tool.path)
  return resultOf(
    await call({
      path: tool.path,
      query,
      headers: {
        ...(authorization === null ? {} : { authorization }),
        ...(key === null ? {} : { "idempotency-key": key }),
      },
    }),
  )
}

const inputSchemaOf = ({ parameters, tier }: Tool): InputSchema =>
  tier === "free"
    ? parameters
    : { ...parameters, properties: { ...parameters.properties, [IDEMPOTENCY_KEY]: idempotencyKey } }

/** A key that is no text is refused before it could be taken for none, and the call charged twice. */
export const hasWrongKey = (given: Arguments): boolean =>
  Object.hasOwn(given, IDEMPOTENCY_KEY) && textOf(given, IDEMPOTENCY_KEY) === null

/** The refusal of such a key. */
export const wrongKey = (): ToolResult =>
  refusal("invalid_parameter", `"${IDEMPOTENCY_KEY}" must be a text of 1 to 255 visible ASCII characters.`, {
    parameter: IDEMPOTENCY_KEY,
  })

/** Makes the tool of one dataset, under a name. */
export const dataTool = (dataset: Dataset, name: string): McpTool => {
  const { endpoint, tool } = dataset
  const inputSchema = inputSchemaOf(tool)
  return {
    definition: {
      name,
      title: endpoint.summary,
      description: tool.description,
      inputSchema,
      outputSchema: outlineOf(endpoint),
      annotations: tool.tier === "free" ? reads : spends,
      _meta: priceFacts(dataset),
    },
    run: async (given, caller) => {
      const refused = refusedArguments(given, inputSchema)
      if (refused !== null) return refused
      if (hasWrongKey(given)) return wrongKey()
      const { [IDEMPOTENCY_KEY]: _, ...parameters } = given
      return callDataset(dataset, parameters, textOf(given, IDEMPOTENCY_KEY), caller)
    },
  }
}
