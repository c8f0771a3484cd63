import { type ChildProcessByStdio, spawn } from "node:child_process"
import type { Readable, Writable } from "node:stream"
import { fileURLToPath } from "node:url"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"

/** A test script in its own process, which writes one message per line. */
export interface ScriptProcess {
  /** Sends a message: one JSON object per line. */
  readonly send: (message: unknown) => void
  readonly signal: (signal: NodeJS.Signals) => void
  /** Tests whether it has ended and every line of it was read. */
  readonly hasEnded: () => boolean
}

/** Starts a script with one argument, as JSON. `onLine` is called with each line of its output. It is killed with the scope. */
export const spawnScript = (
  script: URL,
  argument: unknown,
  onLine: (line: string) => void,
): Effect.Effect<ScriptProcess, never, Scope.Scope> =>
  Effect.gen(function* () {
    const child: ChildProcessByStdio<Writable, Readable, null> = yield* Effect.acquireRelease(
      Effect.sync(() =>
        spawn(
          process.execPath,
          ["--disable-warning=TimeoutNegativeWarning", fileURLToPath(script), JSON.stringify(argument)],
          { stdio: ["pipe", "pipe", "inherit"] },
        ),
      ),
      (running) => Effect.sync(() => running.kill("SIGKILL")),
    )
    let ended = false
    // The last line of a killed process may be incomplete: it is dropped.
    let rest = ""
    child.stdout.setEncoding("utf8")
    child.stdout.on("data", (text: string) => {
      const lines = (rest + text).split("\n")
      rest = lines.pop() ?? ""
      lines.forEach(onLine)
    })
    child.on("close", () => {
      ended = true
    })
    // Writing to a killed process fails, which is expected.
    child.stdin.on("error", () => undefined)
    return {
      send: (message) => child.stdin.write(`${JSON.stringify(message)}\n`),
      signal: (signal) => child.kill(signal),
      hasEnded: () => ended,
    }
  })
