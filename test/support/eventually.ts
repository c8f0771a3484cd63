import { setTimeout as sleep } from "node:timers/promises"

const PAUSE_MS = 50
/** After this, what is waited for never comes: far longer than anything takes on the busiest machine. */
const PATIENCE_MS = 180_000

/**
 * Waits until `probe` gives something else than `undefined` or `false`, and returns it. Whatever the probe threw last is
 * part of the failure when the deadline passes. For conditions that other processes bring about; nothing here measures
 * time.
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
