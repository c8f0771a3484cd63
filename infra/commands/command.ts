import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Result from "effect/Result"
import type * as Scope from "effect/Scope"
import { isWrongSetting, loadSettings, type Settings } from "../config/settings.ts"
import { effectLogger, makeLogger, processInstance, STANDARD_ERROR } from "../telemetry/logger.ts"
import { FAILED, INTERRUPTED, WRONG_USAGE } from "./arguments.ts"

/** A command that needs the settings; succeeds with the exit code. */
export type Command = (settings: Settings) => Effect.Effect<number, { readonly message: string }, Scope.Scope>

export interface RunOptions {
  /** Printed after Ctrl-C: the state that was reached, and how to continue. */
  readonly interrupted?: string | (() => string)
}

/**
 * Runs a command with the settings of the environment, in a scope that is closed in order, also on Ctrl-C. Any end but
 * success is printed as one sentence on standard error. Gives the exit code; the caller ends the process with it, as idle
 * connections may be left.
 */
export const runWithSettings = async (
  command: Command,
  { interrupted = "nothing was changed" }: RunOptions = {},
): Promise<number> => {
  const loaded = loadSettings(process.env)
  if (Result.isFailure(loaded)) {
    process.stderr.write(`${loaded.failure.map(({ message }) => message).join("\n")}\n`)
    return WRONG_USAGE
  }
  const logger = makeLogger("warn", { role: "command", instance: processInstance() }, STANDARD_ERROR)
  const abort = new AbortController()
  for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => abort.abort())
  const program = Effect.scoped(command(loaded.success)).pipe(Effect.provide(effectLogger(logger)))
  const exit = await Effect.runPromiseExit(program, { signal: abort.signal })
  if (Exit.isSuccess(exit)) return exit.value
  if (abort.signal.aborted) {
    process.stderr.write(`interrupted: ${typeof interrupted === "string" ? interrupted : interrupted()}\n`)
    return INTERRUPTED
  }
  const failure = Exit.findErrorOption(exit)
  process.stderr.write(`${failure._tag === "Some" ? failure.value.message : Cause.pretty(exit.cause)}\n`)
  return failure._tag === "Some" && isWrongSetting(failure.value) ? WRONG_USAGE : FAILED
}
