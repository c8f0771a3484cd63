import { deprecationText } from "../contract/deprecation.ts"
import { type Endpoint, isPremium } from "../contract/endpoint-kinds.ts"
import { FIELDS } from "../contract/fields.ts"
import type { Parameter } from "../contract/parameters.ts"
import { pastParameters } from "../contract/past.ts"
import { usdOfCredits } from "../contract/refusal.ts"
import type { Json } from "../json.ts"
import { isRequired, parameterText, valueSchema } from "./openapi.ts"
import { Components, type JsonObject } from "./openapi-components.ts"

// Definitions of tools for language models, derived from the contract: one tool for each endpoint of data.

/** Begins the name of every tool, so that tools of several services can stand side by side. */
export const TOOL_PREFIX = "tidewire_"

/** The longest description that all vendors accept. */
export const TOOL_DESCRIPTION_MAX_CHARACTERS = 1024

/** The JSON Schema of a tool's arguments. It holds no references. */
interface ToolParameters {
  readonly type: "object"
  readonly properties: { readonly [name: string]: JsonObject }
  readonly required: ReadonlyArray<string>
  readonly additionalProperties: false
}

/** A call of an endpoint as a tool. An argument that is a list becomes a comma list in the query. */
export interface Tool {
  readonly name: string
  readonly description: string
  readonly parameters: ToolParameters
  readonly path: string
  readonly method: "GET" | "POST"
  /** Credits of a call; 0 for a free one. */
  readonly credits: number
  readonly tier: "free" | "premium"
  /** Whether a token must be sent (Authorization: Bearer). It is never an argument. */
  readonly bearer: "none" | "required"
}

type DataEndpoint = Endpoint & { readonly tier: "free" | "premium" }

/** Whether an endpoint serves data, in contrast to documents and commands of the service itself. */
export const isData = (endpoint: Endpoint): endpoint is DataEndpoint =>
  endpoint.tier === "free" || endpoint.tier === "premium"

/** The price of a call in words. */
export const priceOf = (endpoint: Endpoint): string => {
  if (!isPremium(endpoint)) return "Free, without a key."
  const { credits, noCharge } = endpoint
  const reasons = [...new Set(noCharge.map(({ reason }) => reason))].join(", ")
  return `Costs ${credits} credit${credits === 1 ? "" : "s"} a call (${usdOfCredits(credits)} USD), paid with a bearer token; free of charge on ${reasons}.`
}

const isSentence = /[.!?]$/

/** The longest description that fits: all sentences, else the summary alone, before the price. */
const descriptionOf = (endpoint: Endpoint): string => {
  const summary = isSentence.test(endpoint.summary) ? endpoint.summary : `${endpoint.summary}.`
  const rest = [priceOf(endpoint), ...endpoint.deprecated.map(deprecationText)].join(" ")
  const whole = `${summary} ${endpoint.description} ${rest}`
  return whole.length <= TOOL_DESCRIPTION_MAX_CHARACTERS ? whole : `${summary} ${rest}`
}

/** The parameters of an endpoint that texts for language models name. */
export const agentParameters = (endpoint: Endpoint): ReadonlyArray<readonly [string, Parameter]> =>
  Object.entries({ ...endpoint.parameters, ...pastParameters(endpoint) }).filter(
    ([, { forAgents }]) => forAgents !== false,
  )

/** The argument that selects fields. Their names stand in the outline of the result, and in the refusal of a wrong one. */
const fieldsArgument = (endpoint: Endpoint): ToolParameters["properties"] =>
  "fields" in endpoint && endpoint.fields.length > 0
    ? { [FIELDS]: { type: "array", items: { type: "string" }, description: "Keep these members of each item alone" } }
    : {}

/** The schema of the arguments of an endpoint's tool. */
export const toolParameters = (endpoint: Endpoint): ToolParameters => {
  // Nothing is shared, so that every schema is written out.
  const components = new Components()
  const offered = agentParameters(endpoint)
  return {
    type: "object",
    properties: {
      ...Object.fromEntries(
        offered.map(([name, parameter]) => [
          name,
          { ...valueSchema(parameter, components), description: parameter.toolDescription ?? parameterText(parameter) },
        ]),
      ),
      ...fieldsArgument(endpoint),
    },
    required: offered.flatMap(([name, parameter]) => (isRequired(parameter) ? [name] : [])),
    additionalProperties: false,
  }
}

const toolOf = (endpoint: DataEndpoint): Tool => ({
  name: `${TOOL_PREFIX}${endpoint.name}`,
  description: descriptionOf(endpoint),
  parameters: toolParameters(endpoint),
  path: endpoint.path,
  method: endpoint.method,
  credits: isPremium(endpoint) ? endpoint.credits : 0,
  tier: endpoint.tier,
  bearer: isPremium(endpoint) ? "required" : "none",
})

/** The tools of a contract, in the order of its endpoints. */
export const toolsOf = (endpoints: ReadonlyArray<Endpoint>): ReadonlyArray<Tool> => endpoints.filter(isData).map(toolOf)

/** The value of an argument as the text of a query parameter; null where it is none. */
export const argumentText = (value: Json): string | null => {
  if (typeof value === "string" || typeof value === "number" || typeof value === "boolean") return String(value)
  if (!Array.isArray(value)) return null
  const texts = value.map((one: Json) => (Array.isArray(one) ? null : argumentText(one)))
  return texts.includes(null) ? null : texts.join(",")
}

/** The forms in which tools are given: `raw` is that of the contract, the others those of vendors' interfaces. */
export const toolFormats = ["raw", "openai", "openai-responses", "anthropic"] as const
type ToolFormat = (typeof toolFormats)[number]

/** A value that is plain JSON by its schema. */
const jsonOf = (value: object): Json => value as unknown as Json

/**
 * A tool in a form. OpenAI's strict mode is off, as it requires every parameter, and most of ours are optional; its Responses
 * interface would turn it on by itself.
 */
export const formatTool = (tool: Tool, format: ToolFormat): Json => {
  const { name, description, parameters } = tool
  switch (format) {
    case "raw":
      return jsonOf(tool)
    case "openai":
      return jsonOf({ type: "function", function: { name, description, parameters, strict: false } })
    case "openai-responses":
      return jsonOf({ type: "function", name, description, parameters, strict: false })
    case "anthropic":
      return jsonOf({ name, description, input_schema: parameters })
  }
}
