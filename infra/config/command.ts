import { Cause, Effect, Exit, Result, type Scope } from "effect"
import { effectLogger, makeLogger, processInstance } from "../telemetry/logger.ts"
import { FAILED, INTERRUPTED, refuseUsage, WRONG_USAGE } from "./arguments.ts"
import { loadSettings, type Settings } from "./settings.ts"

/** What a command does with the settings; succeeds with the exit code. */
export type Command = (settings: Settings) => Effect.Effect<number, { readonly message: string }, Scope.Scope>

export interface RunOptions {
  /** What is said after Ctrl-C: what stands now, and how to go on. */
  readonly interrupted?: string
}

/**
 * Runs a command-line tool: makes it from its arguments (`prepare` throws on wrong ones), decodes the settings, runs it in a
 * scope that is closed in order, also on Ctrl-C, and turns every end but success into one sentence on standard error.
 */
export const runCommand = (
  usage: string,
  prepare: () => Command,
  { interrupted = "nothing was changed" }: RunOptions = {},
): void => {
  const command = (() => {
    try {
      return prepare()
    } catch (cause) {
      return refuseUsage(cause instanceof Error ? cause.message : String(cause), usage)
    }
  })()
  const loaded = loadSettings(process.env)
  if (Result.isFailure(loaded)) {
    process.stderr.write(`${loaded.failure.map(({ message }) => message).join("\n")}\n`)
    process.exit(WRONG_USAGE)
  }
  const logger = makeLogger("warn", { role: "command", instance: processInstance() })
  const abort = new AbortController()
  for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => abort.abort())
  Effect.runPromiseExit(Effect.scoped(command(loaded.success)).pipe(Effect.provide(effectLogger(logger))), {
    signal: abort.signal,
  }).then((exit) => {
    if (Exit.isSuccess(exit)) process.exit(exit.value)
    if (abort.signal.aborted) {
      process.stderr.write(`interrupted: ${interrupted}\n`)
      process.exit(INTERRUPTED)
    }
    const failure = Exit.findErrorOption(exit)
    process.stderr.write(`${failure._tag === "Some" ? failure.value.message : Cause.pretty(exit.cause)}\n`)
    process.exit(FAILED)
  })
}
