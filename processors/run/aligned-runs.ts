/** A run that both values hold: `count` bytes at `from` of the value before, and at `start` of the value after. */
export interface Run {
  from: number
  start: number
  count: number
}

/** Bytes that are compared at a time, natively. */
const BLOCK_BYTES = 1024

/** The count of bytes, at most `most`, that the values have in common from these places on. */
export const sharedHead = (before: Buffer, after: Buffer, from: number, start: number, most: number): number => {
  let count = 0
  while (
    count + BLOCK_BYTES <= most &&
    before.compare(after, start + count, start + count + BLOCK_BYTES, from + count, from + count + BLOCK_BYTES) === 0
  )
    count += BLOCK_BYTES
  while (count < most && before[from + count] === after[start + count]) count += 1
  return count
}

/** The count of bytes up to the end, at most `most`, that the values have in common. */
export const sharedTail = (before: Buffer, after: Buffer, most: number): number => {
  const [end, afterEnd] = [before.length, after.length]
  let count = 0
  while (
    count + BLOCK_BYTES <= most &&
    before.compare(after, afterEnd - count - BLOCK_BYTES, afterEnd - count, end - count - BLOCK_BYTES, end - count) ===
      0
  )
    count += BLOCK_BYTES
  while (count < most && before[end - count - 1] === after[afterEnd - count - 1]) count += 1
  return count
}

/** After a difference, so many bytes of the value after are searched for in the value before. */
const ANCHOR_BYTES = 32
/** How far into a difference they are taken from at first: a time or a number is over by then. Each further try is twice as far. */
const SKIPPED_BYTES = 32
const TRIES_MAX = 8
/** How far beyond the same place of the value before they are searched. */
const SEARCHED_BYTES = 4_096
/** Runs that are shorter on average are left to the search for pieces: the alignment may be wrong, or there is none. */
const RUN_BYTES_LEAST = 192

/** The next run after a difference that begins at these places; null if none is found nearby. */
const nextRun = (
  before: Buffer,
  after: Buffer,
  from: number,
  start: number,
  beforeEnd: number,
  afterEnd: number,
): Run | null => {
  for (let tried = 0, skipped = SKIPPED_BYTES; tried < TRIES_MAX; tried += 1, skipped *= 2) {
    const at = start + skipped
    if (at + ANCHOR_BYTES > afterEnd) return null
    const searchedTo = Math.min(beforeEnd, from + skipped + SEARCHED_BYTES)
    // Most differences are of equal length: looked at first, as the same bytes may also stand in between.
    const isInPlace =
      from + skipped + ANCHOR_BYTES <= beforeEnd &&
      before.compare(after, at, at + ANCHOR_BYTES, from + skipped, from + skipped + ANCHOR_BYTES) === 0
    const found = isInPlace ? skipped : before.subarray(from, searchedTo).indexOf(after.subarray(at, at + ANCHOR_BYTES))
    if (found < 0) continue
    const most = Math.min(beforeEnd - from - found, afterEnd - at)
    return { from: from + found, start: at, count: sharedHead(before, after, from + found, at, most) }
  }
  return null
}

/**
 * Runs of two values that differ in short places only, such as the times and numbers of a list, from `head` on up to the ends;
 * found natively, a block at a time. They stop where the values differ in more than that.
 */
export const alignedRuns = (
  before: Buffer,
  after: Buffer,
  head: number,
  beforeEnd: number,
  afterEnd: number,
): ReadonlyArray<Run> => {
  const runs: Array<Run> = []
  let [from, start, shared] = [head, head, 0]
  for (;;) {
    const run = nextRun(before, after, from, start, beforeEnd, afterEnd)
    if (run === null || shared + run.count < runs.length * RUN_BYTES_LEAST) return runs
    runs.push(run)
    shared += run.count
    from = run.from + run.count
    start = run.start + run.count
  }
}
