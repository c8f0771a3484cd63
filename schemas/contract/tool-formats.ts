import type { Json } from "../json.ts"
import type { Tool } from "./tools.ts"

/** The forms in which tools are given: `raw` is that of the contract, the others those of vendors' interfaces. */
export const toolFormats = ["raw", "openai", "openai-responses", "anthropic"] as const
export type ToolFormat = (typeof toolFormats)[number]

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
