/** How long a head is remembered once no answer reaches it: as long as a provider may lag. */
export const HEAD_REMEMBERED_MS = 60_000
/** Block time of Base. A head that rises faster counts only for the answer that states it. */
const BLOCK_MS = 2_000

/**
 * The newest block that enough providers have reached within a minute. Providers behind it cannot show that a transaction
 * is missing. One wrong number must not outlive its answer, so the memory rises no faster than the chain, and it expires
 * once no answer reaches it.
 */
export interface HeadMemory {
  /** The remembered head; 0 without one. */
  readonly at: (nowMs: number) => number
  /** Records a head that enough providers have reached. Times are monotonic. */
  readonly note: (head: number, nowMs: number) => void
}

/** Makes an empty memory. */
export const makeHeadMemory = (): HeadMemory => {
  let reached = { head: 0, atMs: Number.NEGATIVE_INFINITY }
  const at = (nowMs: number): number => (nowMs - reached.atMs > HEAD_REMEMBERED_MS ? 0 : reached.head)
  return {
    at,
    note: (head, nowMs) => {
      const known = at(nowMs)
      if (head < known) return
      const grown = known + Math.ceil((nowMs - reached.atMs) / BLOCK_MS)
      reached = { head: known === 0 ? head : Math.min(head, grown), atMs: nowMs }
    },
  }
}
