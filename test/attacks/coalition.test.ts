import * as fc from "fast-check"
import { expect, it } from "vitest"
import { playCoalition, type Step } from "./coalition.ts"

const RUNS = Number(process.env.RUNS ?? 3_000)
const seed = Number(process.env.SEED ?? Date.now() % 2 ** 31)
process.stdout.write(`coalition: SEED=${seed} RUNS=${RUNS}\n`)

const number = fc.nat(1_023)
const script: fc.Arbitrary<ReadonlyArray<Step>> = fc.array(fc.tuple(fc.nat(7), number, number, number, number), {
  maxLength: 40,
  size: "max",
})

it(`a coalition that bundles, pads, reorders, gifts, reorganises, reads signatures and confirms as it likes has nothing that an honest buyer paid, and he ends with it all (${RUNS} scripts)`, () => {
  fc.assert(
    fc.property(script, (steps) => {
      expect(() => playCoalition(steps)).not.toThrow()
    }),
    { numRuns: RUNS, seed },
  )
})
