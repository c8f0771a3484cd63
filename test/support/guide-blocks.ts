import { blocksOf } from "../../api/pages/guide/markdown.ts"

/**
 * When the commands of a guide run: while the service runs (`sh`), the same with a payment or a token that the guide asks for
 * (`sh paid`) or with Python (`sh python`), while it is stopped (`sh stopped`), or to start it (`sh start`).
 */
type CommandsWhen = "running" | "paid" | "python" | "stopped" | "start"

/** A block of commands of a guide. */
export interface GuideCommands {
  readonly when: CommandsWhen
  readonly commands: string
}

const whens = new Map<string, CommandsWhen>([
  ["sh", "running"],
  ["sh paid", "paid"],
  ["sh python", "python"],
  ["sh stopped", "stopped"],
  ["sh start", "start"],
])

/** The commands of a guide in their order. Throws at a shell block that says another time. */
export const commandsIn = (markdown: string): ReadonlyArray<GuideCommands> =>
  blocksOf(markdown.replace(/^# .+\n/, "")).flatMap((block) => {
    if (block.kind !== "code" || !block.info.startsWith("sh")) return []
    const when = whens.get(block.info)
    if (when === undefined) throw new Error(`a guide says "${block.info}" of commands`)
    return [{ when, commands: block.code }]
  })
