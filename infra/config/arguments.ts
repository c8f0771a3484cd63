import { type ParseArgsConfig, parseArgs } from "node:util"

/** Exit codes of every command, as its `--help` says. */
export const DONE = 0
/** It failed, or what was to be proved does not hold. */
export const FAILED = 1
/** Wrong arguments or settings. */
export const WRONG_USAGE = 2
/** Ended by Ctrl-C or SIGTERM, as shells have it: 128 and the number of the signal. */
export const INTERRUPTED = 130
/** Whatever read the output has closed it, as `head` does. */
const OUTPUT_CLOSED = 141

/** The last paragraph of every usage. */
export const EXIT_CODES =
  "Exit code: 0 done, 1 failed or does not hold, 2 wrong arguments or settings, 130 interrupted, 141 output closed.\n"

type Options = NonNullable<ParseArgsConfig["options"]>
interface Config<O extends Options> {
  readonly args: Array<string>
  readonly allowPositionals: true
  readonly options: O
}

/** The arguments of a command, by name and by place. */
export type Arguments<O extends Options> = ReturnType<typeof parseArgs<Config<O>>>

/** Says what is wrong with the arguments, and how they are meant, and ends the process. */
export const refuseUsage = (problem: string, usage: string): never => {
  process.stderr.write(`${problem}\n${usage}`)
  process.exit(WRONG_USAGE)
}

const sentenceOf = (cause: unknown): string =>
  // Node goes on with advice about "--" that is of no use where options are known.
  (cause instanceof Error ? cause.message : String(cause)).split(/\. To specify/u)[0] ?? ""

/** Ends a process quietly once its output is closed: a closed pipe is no error of the command. */
export const endWithOutput = (): void => {
  for (const stream of [process.stdout, process.stderr])
    stream.on("error", (error: NodeJS.ErrnoException) => process.exit(error.code === "EPIPE" ? OUTPUT_CLOSED : FAILED))
}

/**
 * Reads the arguments of a command line. `--help` prints the usage; what is not among the options is refused with it.
 * `wanted` says how many arguments without a name there may be. An argument with a blank in it is text, whatever it begins
 * with: SQL may begin with a comment.
 */
export const readArguments = <const O extends Options>(
  usage: string,
  options: O,
  wanted: { readonly min: number; readonly max: number } = { min: 0, max: 0 },
): Arguments<O> => {
  endWithOutput()
  const given = process.argv.slice(2)
  if (given.includes("--help") || given.includes("-h")) {
    process.stdout.write(usage)
    process.exit(DONE)
  }
  try {
    const text = given.findIndex((argument) => /^-.*\s/su.test(argument))
    const args = text === -1 ? given : [...given.slice(0, text), "--", ...given.slice(text)]
    const parsed = parseArgs<Config<O>>({ args, allowPositionals: true, options })
    const count = parsed.positionals.length
    if (count < wanted.min) throw new Error("an argument is missing")
    if (count > wanted.max) throw new Error(`Unexpected argument '${parsed.positionals[wanted.max]}'`)
    return parsed
  } catch (cause) {
    return refuseUsage(sentenceOf(cause), usage)
  }
}
