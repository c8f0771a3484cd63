import { setTimeout as sleep } from "node:timers/promises"

const LOOK_EVERY_MS = 5

/** Looks until nothing is behind, or the time is over; gives what is behind then. */
export const inTime = async (look: () => Promise<string | null>, withinMs: number): Promise<string | null> => {
  const deadlineMs = performance.now() + withinMs
  for (;;) {
    const behind = await look().catch((cause: unknown) => String(cause))
    if (behind === null || performance.now() > deadlineMs) return behind
    await sleep(LOOK_EVERY_MS)
  }
}
