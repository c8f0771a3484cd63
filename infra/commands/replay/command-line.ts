import { resolve } from "node:path"
import * as Effect from "effect/Effect"
import { instant } from "../../../schemas/event.ts"
import { openProgress } from "../../telemetry/progress.ts"
import { WRONG_USAGE, WrongUsage } from "../arguments.ts"
import { type Command, runWithSettings } from "../command.ts"
import { instantOf } from "../instants.ts"

/** The arguments of this command line, as declared in the table of commands. */
interface ReplayArguments {
  readonly values: {
    readonly [option in "from" | "to" | "into" | "diff" | "source"]?: string | undefined
  }
}

const INTERRUPTED = "nothing is left of it"

export const run = ({ values }: ReplayArguments): Promise<number> => {
  const { into, diff, source } = values
  const fromMs = instantOf(values.from, "--from")
  const toMs = instantOf(values.to, "--to")
  if (fromMs !== null && toMs !== null && fromMs > toMs)
    throw new WrongUsage(`--from ${instant(fromMs)} is after --to ${instant(toMs)}`)
  if ((into === undefined) === (diff === undefined)) throw new WrongUsage("either --into DIR or --diff OTHER_CHECKOUT")
  for (const [option, value] of Object.entries({ into, diff, source }))
    if (value?.trim() === "") throw new WrongUsage(`--${option} is empty`)
  const given = { fromMs, toMs, file: source ?? null }
  const command: Command = (settings) =>
    Effect.gen(function* () {
      const progress = yield* openProgress()
      if (into !== undefined) {
        const { replayIntoFolder } = yield* Effect.promise(() => import("./into.ts"))
        return yield* replayIntoFolder({ ...given, settings, progress, directory: resolve(into) })
      }
      const { diffCheckouts } = yield* Effect.promise(() => import("./diff.ts"))
      return yield* diffCheckouts({ ...given, settings, progress, checkout: resolve(diff ?? "") })
    }).pipe(
      // 1 says that replies differ.
      Effect.catch((error) =>
        Effect.sync(() => {
          const isNewer = "_tag" in error && error._tag === "NewerEvent"
          process.stderr.write(`${isNewer ? "the log is newer than this code: " : ""}${error.message}\n`)
          return WRONG_USAGE
        }),
      ),
    )
  return runWithSettings(command, { interrupted: INTERRUPTED })
}
