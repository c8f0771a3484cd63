import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import { type ClickHouseOptions, connect } from "./connection.ts"

/** Together below 10 s, in which a server that accepts connections and answers nothing is seen. */
const WATCH_EVERY = "3 seconds"
const ANSWER_MAX = "4 seconds"

const sentenceOf = (cause: unknown): string => {
  const [line = ""] = (cause instanceof Error ? cause.message || cause.name : String(cause)).trim().split("\n")
  return line
}

/**
 * Asks ClickHouse continually for a query's answer, as the user of the settings and over a connection of its own, and reports
 * the problem, or null. It proves address, certificate, user and password of a process that only stands by, too.
 */
export const watchClickHouse = (
  options: ClickHouseOptions,
  report: (problem: string | null) => void,
): Effect.Effect<never, never, Scope.Scope> =>
  Effect.flatMap(connect(options, "system"), (client) =>
    Effect.tryPromise({
      try: async (signal) => {
        const answer = await client.query({ query: "SELECT 1", abort_signal: signal })
        await answer.text()
      },
      catch: sentenceOf,
    }).pipe(
      Effect.timeoutOrElse({
        duration: ANSWER_MAX,
        orElse: () => Effect.fail("it accepts connections and answers nothing"),
      }),
      Effect.match({ onFailure: report, onSuccess: () => report(null) }),
      Effect.andThen(Effect.sleep(WATCH_EVERY)),
      Effect.forever,
    ),
  )
