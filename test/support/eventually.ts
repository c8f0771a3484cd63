import { setTimeout as sleep } from "node:timers/promises"

const PAUSE_MS = 50
/** A condition that does not hold by then never will: far longer than any step takes on a busy machine. */
const PATIENCE_MS = 180_000

/**
 * Waits until `probe` returns something else than `undefined` or `false`, and returns it. After the deadline the probe's last
 * error is part of the failure. For conditions that depend on other processes; not a measurement of time.
 */
export const eventually = async <A>(
  what: string,
  probe: () => Promise<A | false | undefined> | A | false | undefined,
  withinMs = PATIENCE_MS,
): Promise<A> => {
  const deadline = Date.now() + withinMs
  let last: unknown
  for (;;) {
    try {
      const value = await probe()
      if (value !== undefined && value !== false) return value
      last = undefined
    } catch (cause) {
      last = cause
    }
    if (Date.now() > deadline) throw new Error(`never came true: ${what}`, { cause: last })
    await sleep(PAUSE_MS)
  }
}
