import { type GetPromptResult, ProtocolError, ProtocolErrorCode } from "@modelcontextprotocol/server"
import type { McpTool } from "./tool.ts"

/** What a person fills in. */
interface PromptArgument {
  readonly name: string
  readonly description: string
  readonly required: boolean
}

/** A question that people ask often, as a message to a model: which tools answer it, and what the answer must say. */
interface Prompt {
  readonly name: string
  readonly title: string
  readonly description: string
  readonly arguments: ReadonlyArray<PromptArgument>
  /** The tools that the text names: a server without them does not offer it. */
  readonly uses: ReadonlyArray<string>
  readonly text: (given: Readonly<Record<string, string>>) => string
}

const ARGUMENT_MAX_CHARACTERS = 200

/** What every answer owes its reader. */
const HONESTY =
  "Say for each statement how old its data is (_meta.as_of) and where it comes from (_meta.sources). What is stale, warming or null is named as unknown, never guessed."

const prompts: ReadonlyArray<Prompt> = [
  {
    name: "world_now",
    title: "What is happening in the world now?",
    description: "Earthquakes, weather, markets, infrastructure and news of this moment, the most severe first",
    arguments: [],
    uses: ["briefing"],
    text: () =>
      `Call briefing, and tell me in at most ten sentences what is happening in the world now, the most severe first. ${HONESTY}`,
  },
  {
    name: "what_changed",
    title: "What is new since I last asked?",
    description: "What appeared, changed and went, of some feeds or of all",
    arguments: [
      { name: "feeds", description: "Names of feeds, comma separated; all unless given", required: false },
      {
        name: "after",
        description: "The cursor that the last answer ended with; the newest changes unless given",
        required: false,
      },
    ],
    uses: ["recent_changes"],
    text: ({ feeds, after }) =>
      `Call recent_changes${feeds === undefined ? "" : ` with feeds "${feeds}"`}${after === undefined ? "" : ` and after "${after}"`}. Tell me what appeared, what changed and what went, each feed apart, and end with the cursor \`next\` so that I can go on from there. ${HONESTY}`,
  },
  {
    name: "before_and_now",
    title: "How was it then, and how is it now?",
    description: "A dataset as it was known at an instant, against the present",
    arguments: [
      {
        name: "dataset",
        description: "What it is about, in words: the price of bitcoin, fires in California",
        required: true,
      },
      { name: "at", description: "The instant with its zone, as 2026-11-20T05:00:00Z", required: true },
    ],
    uses: ["search_datasets", "get_dataset"],
    text: ({ dataset = "", at = "" }) =>
      `Find the dataset of "${dataset}" by search_datasets. Read it by get_dataset twice: with at "${at}", and without. Tell me what differs, and that the first reply is what was known then. ${HONESTY}`,
  },
]

/** The prompts whose tools a server has, and how they are filled in. */
export const promptsFor = (tools: ReadonlyArray<McpTool>) => {
  const names = new Set(tools.map(({ definition }) => definition.name))
  const offered = prompts.filter(({ uses }) => uses.every((name) => names.has(name)))
  return {
    list: offered.map(({ name, title, description, arguments: asked }) => ({
      name,
      title,
      description,
      arguments: asked,
    })),
    /** Throws an error of the protocol for an unknown prompt, and for arguments that are missing, unknown or too long. */
    get: (name: string, given: Readonly<Record<string, string>>): GetPromptResult => {
      const refuse = (message: string): never => {
        throw new ProtocolError(ProtocolErrorCode.InvalidParams, message)
      }
      const prompt = offered.find((one) => one.name === name) ?? refuse("There is no prompt of this name.")
      const known = prompt.arguments.map((one) => one.name)
      const unknown = Object.keys(given).find((one) => !known.includes(one))
      if (unknown !== undefined) refuse(`This prompt takes ${known.length === 0 ? "no arguments" : known.join(", ")}.`)
      for (const { name: argument, required } of prompt.arguments) {
        if (required && (given[argument] ?? "").trim() === "") refuse(`"${argument}" is required.`)
        if ((given[argument]?.length ?? 0) > ARGUMENT_MAX_CHARACTERS)
          refuse(`"${argument}" has more than ${ARGUMENT_MAX_CHARACTERS} characters.`)
      }
      return {
        description: prompt.description,
        messages: [{ role: "user", content: { type: "text", text: prompt.text(given) } }],
      }
    },
  }
}
