import type { Json } from "../../schemas/json.ts"
import { buildCatalog } from "../../schemas/printers/catalog.ts"
import { exampleBody } from "../../schemas/printers/openapi.ts"
import type { ApiOptions } from "../routes/route.ts"
import { callDataset, type Dataset, hasWrongKey, IDEMPOTENCY_KEY, idempotencyKey, wrongKey } from "./data-tool.ts"
import {
  type InputSchema,
  jsonResult,
  type McpTool,
  reads,
  refusal,
  refusedArguments,
  spends,
  type ToolResult,
  textOf,
} from "./tool.ts"

const FOUND_MAX = 20
const FOUND_DEFAULT = 8
const QUERY_MAX_CHARACTERS = 200

const nameSchema: Json = { type: "string", description: "Name of a dataset, as search_datasets gives it" }

const objectOf = (properties: InputSchema["properties"], required: ReadonlyArray<string>): InputSchema => ({
  type: "object",
  properties,
  required,
  additionalProperties: false,
})

const wordsOf = (text: string): ReadonlyArray<string> => text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? []

/** A dataset with the words by which it is found. */
interface Entry {
  readonly dataset: Dataset
  readonly name: ReadonlySet<string>
  readonly summary: ReadonlySet<string>
  readonly text: string
}

const entryOf = (dataset: Dataset): Entry => ({
  dataset,
  name: new Set(wordsOf(dataset.endpoint.name.replaceAll("_", " "))),
  summary: new Set(wordsOf(dataset.endpoint.summary)),
  text: `${dataset.endpoint.name} ${dataset.endpoint.summary} ${dataset.endpoint.description}`.toLowerCase(),
})

/** How well an entry fits: a word of its name counts most, then of its summary, then any part of its text. */
const scoreOf = ({ name, summary, text }: Entry, words: ReadonlyArray<string>): number => {
  const points = (word: string) => (name.has(word) ? 8 : summary.has(word) ? 4 : text.includes(word) ? 1 : 0)
  return words.reduce((total, word) => total + points(word), 0)
}

const shown = ({ endpoint, tool }: Dataset): Json => ({
  name: endpoint.name,
  summary: endpoint.summary,
  credits: tool.credits,
  required: [...tool.parameters.required],
})

/** Finds datasets by words. Without words it lists the first of them. */
const searchTool = (datasets: ReadonlyArray<Dataset>): McpTool => {
  const entries = datasets.map(entryOf)
  const inputSchema = objectOf(
    {
      query: { type: "string", description: "Words, in English: a place, a market, a hazard, a source" },
      limit: { type: "integer", minimum: 1, maximum: FOUND_MAX, default: FOUND_DEFAULT },
    },
    ["query"],
  )
  return {
    definition: {
      name: "search_datasets",
      title: "Find datasets",
      description: `Finds datasets by words: ${datasets.length} endpoints of live data and reports (markets, crypto, weather, hazards, space, news, cyber security, AI). Then call describe_dataset and get_dataset. Free.`,
      inputSchema,
      outputSchema: {
        type: "object",
        properties: {
          count: { type: "integer" },
          datasets: {
            type: "array",
            items: {
              type: "object",
              properties: {
                name: { type: "string" },
                summary: { type: "string" },
                credits: { type: "integer" },
                required: { type: "array", items: { type: "string" } },
              },
            },
          },
        },
        required: ["count", "datasets"],
      },
      annotations: reads,
    },
    run: async (given) => {
      const refused = refusedArguments(given, inputSchema)
      if (refused !== null) return refused
      const { query, limit = FOUND_DEFAULT } = given
      if (typeof query !== "string" || query.length > QUERY_MAX_CHARACTERS)
        return refusal("invalid_parameter", `"query" must be a text of at most ${QUERY_MAX_CHARACTERS} characters.`)
      if (typeof limit !== "number" || !Number.isInteger(limit) || limit < 1 || limit > FOUND_MAX)
        return refusal("invalid_parameter", `"limit" must be a whole number from 1 to ${FOUND_MAX}.`)
      const words = [...new Set(wordsOf(query))]
      const found = entries
        .map((entry) => ({ entry, score: scoreOf(entry, words) }))
        .filter(({ score }) => score > 0 || words.length === 0)
        .sort((one, other) => other.score - one.score)
      return jsonResult({
        count: found.length,
        datasets: found.slice(0, limit).map(({ entry }) => shown(entry.dataset)),
      })
    },
  }
}

/** Finds a dataset by its name, or gives the refusal of an unknown one. */
type FindDataset = (name: string | null) => Dataset | ToolResult

const isDataset = (found: Dataset | ToolResult): found is Dataset => "endpoint" in found

const describeTool = (find: FindDataset, options: ApiOptions): McpTool => {
  const inputSchema = objectOf({ name: nameSchema }, ["name"])
  return {
    definition: {
      name: "describe_dataset",
      title: "Describe a dataset",
      description:
        "Parameters with types and units, price and when it is free of charge, sources with their licences, and an example of the reply. Free.",
      inputSchema,
      outputSchema: {
        type: "object",
        properties: { path: { type: "string" }, parameters: { type: "object" }, example: { type: "object" } },
        required: ["path", "parameters", "example"],
      },
      annotations: reads,
    },
    run: async (given) => {
      const refused = refusedArguments(given, inputSchema)
      if (refused !== null) return refused
      const found = find(textOf(given, "name"))
      if (!isDataset(found)) return found
      const { endpoint, tool } = found
      const [entry] = buildCatalog({ ...options, endpoints: [endpoint] }).endpoints
      if (entry === undefined) throw new Error(`the catalog lacks ${endpoint.path}`)
      const { parameters: _, kind: __, media_types: ___, ...facts } = entry
      return jsonResult({
        // Plain JSON by its schema.
        ...(facts as unknown as Readonly<Record<string, Json>>),
        // Without the parameters that no agent should use.
        parameters: tool.parameters as unknown as Json,
        example: exampleBody(endpoint),
      })
    },
  }
}

const getTool = (find: FindDataset): McpTool => {
  const inputSchema = objectOf(
    {
      name: nameSchema,
      parameters: { type: "object", description: "Parameters of the dataset by name", default: {} },
      max_credits: {
        type: "integer",
        minimum: 0,
        default: 0,
        description: "Most credits that the call may cost; a premium dataset needs at least its price",
      },
      [IDEMPOTENCY_KEY]: idempotencyKey,
    },
    ["name"],
  )
  return {
    definition: {
      name: "get_dataset",
      title: "Read a dataset",
      description:
        "Any dataset, now or as it was known (`at` in parameters), with its freshness and sources in _meta. Free datasets need no token. A premium one costs its credits (search_datasets and describe_dataset say how many), and only if max_credits allows it.",
      inputSchema,
      // The reply of the dataset, as describe_dataset shows it.
      outputSchema: { type: "object" },
      annotations: spends,
      _meta: { "tidewire/credits": "by dataset" },
    },
    run: async (given, caller) => {
      const refused = refusedArguments(given, inputSchema)
      if (refused !== null) return refused
      if (hasWrongKey(given)) return wrongKey()
      const found = find(textOf(given, "name"))
      if (!isDataset(found)) return found
      const { parameters = {}, max_credits = 0 } = given
      if (typeof parameters !== "object" || parameters === null || Array.isArray(parameters))
        return refusal("invalid_parameter", '"parameters" must be an object.', { parameter: "parameters" })
      const { credits } = found.tool
      if (typeof max_credits !== "number" || credits > max_credits)
        return refusal("max_credits", `This dataset costs ${credits} credits a call: allow them by max_credits.`, {
          credits,
        })
      const values: Readonly<Record<string, unknown>> = { ...parameters }
      return (
        refusedArguments(values, found.tool.parameters) ??
        callDataset(found, values, textOf(given, IDEMPOTENCY_KEY), caller)
      )
    },
  }
}

/** The tools that reach every dataset. */
export const datasetTools = (datasets: ReadonlyArray<Dataset>, options: ApiOptions): ReadonlyArray<McpTool> => {
  const byName = new Map(datasets.map((dataset) => [dataset.endpoint.name, dataset]))
  const find: FindDataset = (name) =>
    byName.get(name ?? "") ?? refusal("unknown_dataset", "There is no dataset of this name: call search_datasets.")
  return [searchTool(datasets), describeTool(find, options), getTool(find)]
}
