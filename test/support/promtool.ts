import { spawn, spawnSync } from "node:child_process"

/** The program that checks metrics; `PROMTOOL` names it where it is not on the path. */
const PROMTOOL = process.env.PROMTOOL ?? "promtool"

/** Why metrics cannot be checked here; undefined where they can. */
export const promtoolMissing = (): string | undefined =>
  spawnSync(PROMTOOL, ["--version"], { stdio: "ignore" }).status === 0
    ? undefined
    : "promtool is not installed (Debian's package prometheus has it; PROMTOOL names it)"

/** What `promtool check metrics` says of a text, and its exit code. */
export const checkMetrics = (text: string): Promise<{ readonly code: number | null; readonly said: string }> =>
  new Promise((resolve, reject) => {
    const child = spawn(PROMTOOL, ["check", "metrics"])
    let said = ""
    for (const stream of [child.stdout, child.stderr])
      stream.on("data", (chunk: Buffer) => {
        said += chunk.toString()
      })
    child.once("error", reject)
    child.once("close", (code) => resolve({ code, said }))
    child.stdin.end(text)
  })
