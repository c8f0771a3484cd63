import { setTimeout as sleep } from "node:timers/promises"

/** The pause between two probes grows with the time waited: some tests wait for fifty replies at once for a minute. */
const PAUSE_MS_MIN = 50
const PAUSE_MAX_MS = 1_000
const PAUSE_SHARE = 0.1
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
  const begun = Date.now()
  const deadline = begun + withinMs
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
    const waitedMs = Date.now() - begun
    await sleep(Math.min(PAUSE_MAX_MS, Math.max(PAUSE_MS_MIN, waitedMs * PAUSE_SHARE)))
  }
}
