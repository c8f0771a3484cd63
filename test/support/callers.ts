import { setTimeout as sleep } from "node:timers/promises"

/** Running callers. */
export interface Callers<Outcome> {
  /** Succeeds after so many calls that were served. */
  readonly answered: (count: number) => Promise<void>
  /** Stops them, and gives the outcome of every call that reached a process. */
  readonly stop: () => Promise<ReadonlyArray<Outcome>>
}

/** What callers send, and what counts as served. */
export interface CallerOptions<Call, Outcome> {
  readonly count: number
  readonly next: (caller: number, turn: number) => ReadonlyArray<Call>
  /** Sends one call; null if the connection was refused. Never rejects. */
  readonly ask: (call: Call) => Promise<Outcome | null>
  readonly isServed: (outcome: Outcome) => boolean
  /** The pause of a caller after a turn in which nothing was served, in milliseconds. */
  readonly pauseMs: number
}

/** Tests whether the connection was refused, so that the request reached no process. */
export const wasRefused = (error: unknown): boolean =>
  error instanceof Error &&
  typeof error.cause === "object" &&
  error.cause !== null &&
  "code" in error.cause &&
  error.cause.code === "ECONNREFUSED"

/**
 * Sends calls without pause: caller `n` sends all of `next(n, 0)` at once, waits for their outcomes, then sends `next(n, 1)`,
 * and so on. Failures are expected, as the process is being killed.
 */
export const runCallers = <Call, Outcome>({
  count,
  next,
  ask,
  isServed,
  pauseMs,
}: CallerOptions<Call, Outcome>): Callers<Outcome> => {
  const outcomes: Array<Outcome> = []
  let stopped = false
  let answers = 0
  let reached: { readonly count: number; readonly resolve: () => void } | null = null
  const send = async (call: Call): Promise<boolean> => {
    const one = await ask(call)
    if (one === null) return false
    outcomes.push(one)
    const served = isServed(one)
    if (served) answers += 1
    if (reached !== null && answers >= reached.count) reached.resolve()
    return served
  }
  const callers = Array.from({ length: count }, async (_, caller) => {
    for (let turn = 0; !stopped; turn++) {
      const served = await Promise.all(next(caller, turn).map(send))
      if (!served.includes(true)) await sleep(pauseMs)
    }
  })
  return {
    answered: (wanted) =>
      new Promise((resolve) => {
        reached = { count: wanted, resolve }
        if (answers >= wanted) resolve()
      }),
    stop: async () => {
      stopped = true
      await Promise.all(callers)
      return outcomes
    },
  }
}
