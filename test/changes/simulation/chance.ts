import * as Effect from "effect/Effect"
import * as Random from "effect/Random"

/** Choices of a simulation, all of one seed. */
export interface Chance {
  /** A whole number from 0 to below `end`. */
  readonly below: (end: number) => number
  /** True once in so many times. */
  readonly once: (times: number) => boolean
  readonly pick: <A>(list: ReadonlyArray<A>) => A
  /** A number in [0, 1). */
  readonly share: () => number
}

/** The choices of a seeded service of Effect. */
export const chanceOf = (random: typeof Random.Random.Service): Chance => {
  const share = () => random.nextDoubleUnsafe()
  const below = (end: number) => Math.floor(share() * end)
  return {
    share,
    below,
    once: (times) => below(times) === 0,
    pick: (list) => {
      const picked = list[below(list.length)]
      if (picked === undefined) throw new Error("there is nothing to choose from")
      return picked
    },
  }
}

/** The choices of a seed, outside of an effect. */
export const seededChance = (seed: number): Chance => chanceOf(Effect.runSync(Random.withSeed(Random.Random, seed)))
