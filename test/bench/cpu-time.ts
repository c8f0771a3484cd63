import * as Effect from "effect/Effect"

/** Milliseconds of processor time that some work takes, collecting garbage included: what else runs does not count. */
export const cpuMsOf = <E, R>(work: Effect.Effect<unknown, E, R>): Effect.Effect<number, E, R> =>
  Effect.suspend(() => {
    const begun = process.cpuUsage()
    return Effect.map(work, () => {
      const { user, system } = process.cpuUsage(begun)
      return (user + system) / 1000
    })
  })
