import { spawn, spawnSync } from "node:child_process"

/** The program that checks metrics; `PROMTOOL` names it if it is not on the path. */
export const PROMTOOL = process.env.PROMTOOL ?? "promtool"

/** The reason why metrics cannot be checked; undefined if they can. */
export const promtoolMissing = (): string | undefined =>
  spawnSync(PROMTOOL, ["--version"], { stdio: "ignore" }).status === 0
    ? undefined
    : "promtool is not installed (Debian's package prometheus has it; PROMTOOL names it)"

/** Runs `promtool check metrics` over a text; gives its output and exit code. */
export const checkMetrics = (text: string): Promise<{ readonly code: number | null; readonly output: string }> =>
  new Promise((resolve, reject) => {
    const child = spawn(PROMTOOL, ["check", "metrics"])
    let output = ""
    for (const stream of [child.stdout, child.stderr])
      stream.on("data", (chunk: Buffer) => {
        output += chunk.toString()
      })
    child.once("error", reject)
    child.once("close", (code) => resolve({ code, output }))
    child.stdin.end(text)
  })
