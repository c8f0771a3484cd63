import { readFileSync } from "node:fs"
import { registerHooks } from "node:module"
import { parseArgs } from "node:util"
import { type PlantedBug, plantedBugs } from "./simulation/planted-bugs.ts"

// npm run simulate -- [--seed N] [--seeds COUNT] [--bug NUMBER] [--trace]
// Simulates readers of changes by seeds from N on, and prints the first that goes wrong: exit code 1. With `--bug` it plants that
// one first. `--trace` prints every action.

const root = new URL("../../", import.meta.url)

/** Loads the file of a bug with the bug in it. */
const plant = ({ file, text, instead }: PlantedBug): void => {
  const url = new URL(file, root)
  const source = readFileSync(url, "utf8")
  if (source.split(text).length !== 2) throw new Error(`${file} must hold this text once: ${text}`)
  registerHooks({
    load: (from, context, next) => {
      const loaded = next(from, context)
      return from === url.href ? { ...loaded, source: source.replace(text, () => instead) } : loaded
    },
  })
}

const { values } = parseArgs({
  options: {
    seed: { type: "string", default: "1" },
    seeds: { type: "string", default: "1" },
    bug: { type: "string" },
    trace: { type: "boolean", default: false },
  },
})
const print = (line: string): void => {
  process.stdout.write(`${line}\n`)
}

if (values.bug !== undefined) {
  const bug = plantedBugs[Number(values.bug) - 1]
  if (bug === undefined) throw new Error(`bugs have the numbers 1 to ${plantedBugs.length}`)
  print(`planted: ${bug.name}`)
  plant(bug)
}
const { simulate } = await import("./simulation/simulation.ts")
const first = Number(values.seed)
for (let seed = first; seed < first + Number(values.seeds); seed += 1) {
  const problem = await simulate(seed, values.trace ? print : undefined)
  if (problem === null) continue
  print(`seed ${seed}: ${problem}`)
  process.exit(1)
}
print(`${values.seeds} seeds from ${first} on: every reader got every change that it wants, once, in order`)
