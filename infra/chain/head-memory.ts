/** How long a head is remembered that no more answers reach: as long as a provider may be behind. */
export const HEAD_REMEMBERED_MS = 60_000
/** Base makes a block in two seconds; what rises faster is not believed for longer than this answer. */
const BLOCK_MS = 2_000

/**
 * The newest block that enough providers have reached lately: those that are behind it do not know what is missing. One
 * wrong number must not outlive its answer, so the memory rises no faster than the chain, and ends by time where no
 * answer reaches it any more.
 */
export interface HeadMemory {
  /** The block that an answer must be near to count; 0 where none is remembered. */
  readonly at: (nowMs: number) => number
  /** Notes a head that enough providers have reached. Times are monotonic. */
  readonly note: (head: number, nowMs: number) => void
}

/** A memory of nothing yet. */
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
