import { type ChildProcessByStdio, spawn } from "node:child_process"
import type { Readable, Writable } from "node:stream"
import { fileURLToPath } from "node:url"
import { Effect, type Scope } from "effect"

/** A script of a test in a process of its own, which says one thing a line. */
export interface ScriptProcess {
  /** Tells it something: one JSON object a line. */
  readonly send: (order: unknown) => void
  readonly signal: (signal: NodeJS.Signals) => void
  /** Whether it has ended, and every line of it has been heard. */
  readonly hasEnded: () => boolean
}

/** Starts a script with one argument, which travels as JSON. `hear` is given each line it says. It is killed with the scope. */
export const spawnScript = (
  script: URL,
  argument: unknown,
  hear: (line: string) => void,
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
    // A killed process leaves an incomplete last line: it told nobody, so it was not said.
    let rest = ""
    child.stdout.setEncoding("utf8")
    child.stdout.on("data", (text: string) => {
      const lines = (rest + text).split("\n")
      rest = lines.pop() ?? ""
      lines.forEach(hear)
    })
    child.on("close", () => {
      ended = true
    })
    // What is sent to a process that was killed reaches nobody.
    child.stdin.on("error", () => undefined)
    return {
      send: (order) => child.stdin.write(`${JSON.stringify(order)}\n`),
      signal: (signal) => child.kill(signal),
      hasEnded: () => ended,
    }
  })
