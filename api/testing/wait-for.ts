import { vi } from "vitest"

/** After this, what is waited for never comes: far longer than anything takes on the busiest machine. */
const PATIENCE_MS = 60_000

/** Waits until the assertion holds. For what sockets and followers bring about; nothing here measures time. */
export const waitFor = (assertion: () => void | Promise<void>): Promise<void> =>
  vi.waitFor(assertion, { timeout: PATIENCE_MS, interval: 20 })
