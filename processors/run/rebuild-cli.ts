import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import type { EventLog } from "../../schemas/ports/event-log.ts"
import { type RebuildFailed, type RebuildOptions, rebuildViews } from "./rebuild.ts"
import { type Verification, type VerifyFailed, verifyViews } from "./verify.ts"

/** The inputs of the command: the opened log, whether to compare only, and the output. */
export interface RebuildCommand<E> extends RebuildOptions<E> {
  readonly log: EventLog
  readonly verify: boolean
  readonly print: (line: string) => void
}

/** Renders a verification as lines of text. */
export const describeVerification = ({ equal, comparisons, foreignViews }: Verification): ReadonlyArray<string> => [
  ...comparisons.flatMap(({ processor, events, parting, differences }) => [
    `${processor}: ${events} events, ${differences.length === 0 ? "equal" : "DIFFERENT"}`,
    ...(parting === null
      ? []
      : [
          `  the builds part at event ${parting.id} (${parting.type}, offset ${parting.offset}): ` +
            (parting.what === "step"
              ? "its step gives another result"
              : "its derived events differ from those in the log"),
        ]),
    ...differences.map((difference) => `  ${difference}`),
  ]),
  ...foreignViews.map((key) => `view ${key} is made by no processor`),
  equal ? "the live views equal a fold of the whole log" : "the live views do NOT equal a fold of the whole log",
]

/**
 * Rebuilds views and state, or (`verify`) compares them with a fold of the whole log. The exit code: 0 when rebuilt or
 * equal, 1 when the builds differ, or when the log holds events and none of them was folded.
 */
export const rebuildMain = <E = never>({
  log,
  verify,
  print,
  ...options
}: RebuildCommand<E>): Effect.Effect<0 | 1, RebuildFailed | VerifyFailed | E, Scope.Scope> =>
  Effect.gen(function* () {
    if (verify) {
      const verification = yield* verifyViews(log, options)
      for (const line of describeVerification(verification)) print(line)
      return verification.equal ? 0 : 1
    }
    const rebuilt = yield* rebuildViews(log, options)
    for (const { processor, generation, events, unfolded, viewsWritten } of rebuilt)
      print(
        unfolded === 0
          ? `${processor}: generation ${generation} of ${events} events is live; ${viewsWritten} view records changed`
          : `${processor}: 0 of ${unfolded} events were folded: a rebuild goes as far as the build before it, which had ` +
              "folded none; the service folds them when it starts",
      )
    return rebuilt.some(({ unfolded }) => unfolded > 0) && rebuilt.every(({ events }) => events === 0) ? 1 : 0
  })
