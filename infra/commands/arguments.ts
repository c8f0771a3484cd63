import { type ParseArgsConfig, parseArgs } from "node:util"

/** Exit codes of every command, as printed by `--help`. */
export const DONE = 0
/** The command failed, or a proof did. */
export const FAILED = 1
/** Wrong arguments or settings. */
export const WRONG_USAGE = 2
/** Ended by Ctrl-C or SIGTERM: 128 plus the number of SIGINT, the convention of shells. */
export const INTERRUPTED = 130
/** The reader of the output closed it, as `head` does: 128 plus the number of SIGPIPE. */
const OUTPUT_CLOSED = 141

/** The last paragraph of every usage. */
export const EXIT_CODES =
  "Exit code: 0 done, 1 failed or not proved, 2 wrong arguments or settings, 130 interrupted, 141 output closed.\n"

export type Options = NonNullable<ParseArgsConfig["options"]>
interface Config<O extends Options> {
  readonly args: Array<string>
  readonly allowPositionals: true
  readonly options: O
}

/** The arguments of a command, by name and by place. */
export type Arguments<O extends Options> = ReturnType<typeof parseArgs<Config<O>>>

/** How many arguments without a name a command takes. */
export interface ArgumentsCount {
  readonly min: number
  readonly max: number
}

/** The arguments of a command cannot be used, for a reason that only the command itself can check. */
export class WrongUsage extends Error {}

/** Prints the problem and the usage on standard error, and ends the process. */
export const refuseUsage = (problem: string, usage: string): never => {
  process.stderr.write(`${problem}\n${usage}`)
  process.exit(WRONG_USAGE)
}

const sentenceOf = (cause: unknown): string =>
  // Node appends advice about "--", which does not apply to options that are not in the table.
  (cause instanceof Error ? cause.message : String(cause)).split(/\. To specify/u)[0] ?? ""

/** Ends the process without a message once its output is closed: a closed pipe is no error of the command. */
export const endWithOutput = (): void => {
  for (const stream of [process.stdout, process.stderr])
    stream.on("error", (error: NodeJS.ErrnoException) => process.exit(error.code === "EPIPE" ? OUTPUT_CLOSED : FAILED))
}

/**
 * Reads the arguments of a command line. `--help` prints the usage; an unknown option is refused with the usage. An argument
 * that contains white space is text even if it begins with "-": SQL may begin with a comment.
 */
export const readArguments = <const O extends Options>(
  usage: string,
  options: O,
  takes: ArgumentsCount = { min: 0, max: 0 },
  given: ReadonlyArray<string> = process.argv.slice(2),
): Arguments<O> => {
  endWithOutput()
  if (given.includes("--help") || given.includes("-h")) {
    process.stdout.write(usage)
    process.exit(DONE)
  }
  try {
    const text = given.findIndex((argument) => /^-.*\s/su.test(argument))
    const args = text === -1 ? [...given] : [...given.slice(0, text), "--", ...given.slice(text)]
    const parsed = parseArgs<Config<O>>({ args, allowPositionals: true, options })
    const count = parsed.positionals.length
    if (count < takes.min) throw new Error("an argument is missing")
    if (count > takes.max) throw new Error(`Unexpected argument '${parsed.positionals[takes.max]}'`)
    return parsed
  } catch (cause) {
    return refuseUsage(sentenceOf(cause), usage)
  }
}
