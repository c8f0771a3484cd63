// When a page reads what it shows: at once, but not oftener than once a second, not before the service allows it, and one
// reading at a time. What is asked for meanwhile is one reading more.

const EVERY_MS = 1_000

/**
 * @param {() => Promise<number>} read Reads, and gives how long the service wants no other reading, in milliseconds.
 */
export const pacedReader = (read) => {
  let notBeforeMs = Number.NEGATIVE_INFINITY
  let isReading = false
  /** @type {number | null} When the next reading was asked for; null where none was. */
  let wantedAtMs = null
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  let timer

  const plan = () => {
    clearTimeout(timer)
    if (wantedAtMs === null || isReading) return
    timer = setTimeout(readNow, Math.max(0, Math.max(wantedAtMs, notBeforeMs) - performance.now()))
  }
  const readNow = async () => {
    wantedAtMs = null
    isReading = true
    notBeforeMs = performance.now() + EVERY_MS
    const pauseMs = await read()
    notBeforeMs = Math.max(notBeforeMs, performance.now() + pauseMs)
    isReading = false
    plan()
  }
  return {
    /** Asks for a reading that begins after `inMs` at the earliest. */
    ask: (inMs = 0) => {
      const atMs = performance.now() + inMs
      wantedAtMs = wantedAtMs === null ? atMs : Math.min(wantedAtMs, atMs)
      plan()
    },
    /** Forgets what was asked for. */
    forget: () => {
      wantedAtMs = null
      clearTimeout(timer)
    },
  }
}
