import { execFile } from "node:child_process"
import { describe, expect, it } from "vitest"
import { plantedBugs } from "./simulation/planted-bugs.ts"
import { simulate } from "./simulation/simulation.ts"

const SEEDS = 200
/** Within so many seeds each planted bug is found. */
const CAUGHT_WITHIN = 100

/** What `npm run simulate` prints, and its exit code. */
const simulated = (bug: number) =>
  new Promise<{ readonly code: number; readonly printed: string }>((resolve) => {
    const child = execFile(
      process.execPath,
      [new URL("simulate.ts", import.meta.url).pathname, ...["--bug", String(bug), "--seeds", String(CAUGHT_WITHIN)]],
      (_, stdout, stderr) => resolve({ code: child.exitCode ?? -1, printed: stdout + stderr }),
    )
  })

describe("the simulation of the reading side", () => {
  it(`gives every reader every change that it wants, once, in order, for ${SEEDS} seeds`, async () => {
    for (let seed = 1; seed <= SEEDS; seed += 1) expect(await simulate(seed), `seed ${seed}`).toBeNull()
  })

  it("repeats a seed", async () => {
    const runs: Array<ReadonlyArray<string>> = []
    for (let run = 0; run < 2; run += 1) {
      const lines: Array<string> = []
      // The names of logs are no choice of the simulation.
      await simulate(17, (line) => lines.push(line.replace(/[a-z2-7]{8}(?=\.\d{12}| \d)/g, "log")))
      runs.push(lines)
    }
    expect(runs[0]?.length).toBeGreaterThan(100)
    expect(runs[1]).toEqual(runs[0])
  })

  it.each(plantedBugs.map(({ name }, index) => [name, index + 1] as const))("finds: %s", async (_, bug) => {
    const { code, printed } = await simulated(bug)
    expect(printed).toMatch(/^seed \d+: /m)
    // A broken simulation is no found bug.
    expect(printed).not.toContain("a fault:")
    expect(code).toBe(1)
  })
})
