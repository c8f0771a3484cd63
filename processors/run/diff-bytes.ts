import { hash } from "node:crypto"
import type { PatchPart } from "../../schemas/value-patch.ts"

/** A run that both values hold: `count` bytes at `from` of the value before, and at `start` of the value after. */
interface Run {
  from: number
  start: number
  count: number
}

/** Bytes that are compared at a time, natively. */
const BLOCK_BYTES = 1024

/** The count of bytes, at most `most`, that the values have in common from these places on. */
const sharedHead = (before: Buffer, after: Buffer, from: number, start: number, most: number): number => {
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
const sharedTail = (before: Buffer, after: Buffer, most: number): number => {
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
/** How far into a difference these bytes are taken from first: a time or a number ends before. Each further try is twice as far. */
const SKIPPED_BYTES = 32
const TRIES_MAX = 8
/** How far beyond the same place of the value before these bytes are searched for. */
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

/** The sizes of pieces: one ends where so many leading bits of the rolling hash are zero, or at its longest. */
interface PieceSizes {
  readonly boundaryBits: number
  readonly bytesMin: number
}
const PIECE_MAX_BYTES = 1024
/** Some 100 bytes on average: for what lies between the ends that two values share. */
const COARSE: PieceSizes = { boundaryBits: 6, bytesMin: 32 }
/** Some 30 bytes: for what no coarse piece matches, such as a list of which each item has changed in one number. */
const FINE: PieceSizes = { boundaryBits: 4, bytesMin: 16 }
/**
 * How much of the value before is searched for the fine pieces of a gap, in lengths of that gap. Without this bound the time is
 * quadratic where a list is replaced by a similar one: coarse pieces match far from each other, and all that lies between two of
 * them would be searched for each gap.
 */
const FINE_REACH = 4
/** A shorter gap is not searched: lengthening the runs around it finds nearly as much. */
const FINE_GAP_MIN_BYTES = 32
/** A shorter run is copied into the patch: a reference to it would take as many bytes. */
const TAKEN_MIN_BYTES = 24

/** An independent 32-bit number for each byte value, as a gear hash needs. */
const GEAR = Int32Array.from({ length: 256 }, (_, byte) => hash("sha256", `gear ${byte}`, "buffer").readInt32LE(0))

/** A part of a value's bytes. */
interface Range {
  readonly from: number
  readonly to: number
}

/**
 * Calls `each` with the bounds and a checksum of every piece of a range. Boundaries depend on the content alone
 * (content-defined chunking).
 */
const eachPiece = (
  bytes: Uint8Array,
  { from, to }: Range,
  { boundaryBits, bytesMin }: PieceSizes,
  each: (start: number, end: number, checksum: number) => void,
): void => {
  const shift = 32 - boundaryBits
  let start = from
  let rolling = 0
  let checksum = 0
  for (let at = from; at < to; at += 1) {
    const byte = bytes[at] as number
    rolling = ((rolling << 1) + (GEAR[byte] as number)) | 0
    checksum = (Math.imul(checksum, 31) + (GEAR[byte] as number)) | 0
    const length = at + 1 - start
    if ((rolling >>> shift === 0 && length >= bytesMin) || length === PIECE_MAX_BYTES || at === to - 1) {
      each(start, at + 1, checksum)
      start = at + 1
      checksum = 0
    }
  }
}

const bufferOf = ({ buffer, byteOffset, length }: Uint8Array): Buffer => Buffer.from(buffer, byteOffset, length)

const isSame = (one: Uint8Array, from: number, other: Uint8Array, start: number, count: number): boolean => {
  if (from + count > one.length) return false
  for (let index = 0; index < count; index += 1) if (one[from + index] !== other[start + index]) return false
  return true
}

/** Pieces that a part of the one value shares with a part of the other, found by their checksums, and compared. */
const sharedPieces = (
  before: Buffer,
  beforeRange: Range,
  after: Buffer,
  afterRange: Range,
  sizes: PieceSizes,
): ReadonlyArray<Run> => {
  const places = new Map<number, number>()
  eachPiece(before, beforeRange, sizes, (start, _, checksum) => places.set(checksum, start))
  const runs: Array<Run> = []
  eachPiece(after, afterRange, sizes, (start, end, checksum) => {
    const last = runs.at(-1)
    const count = end - start
    // Extending the last run is preferred, so that pieces which occur many times make one run.
    const next = last !== undefined && last.start + last.count === start ? last.from + last.count : undefined
    if (last !== undefined && next !== undefined && isSame(before, next, after, start, count)) {
      last.count += count
      return
    }
    const from = places.get(checksum)
    if (from !== undefined && isSame(before, from, after, start, count)) runs.push({ from, start, count })
  })
  return runs
}

/**
 * Runs that the values share, in the order of the value after: their heads, what goes on from there with short differences,
 * coarse pieces of the rest, fine ones between those, and their tails.
 */
const sharedRuns = (before: Buffer, after: Buffer): ReadonlyArray<Run> => {
  const head = sharedHead(before, after, 0, 0, Math.min(before.length, after.length))
  const tail = sharedTail(before, after, Math.min(before.length, after.length) - head)
  const [beforeEnd, afterEnd] = [before.length - tail, after.length - tail]
  const first: Run = { from: 0, start: 0, count: head }
  const aligned = alignedRuns(before, after, head, beforeEnd, afterEnd)
  const { from, start, count } = aligned.at(-1) ?? first
  const beforeRest = { from: from + count, to: beforeEnd }
  const afterRest = { from: start + count, to: afterEnd }
  const coarse = sharedPieces(before, beforeRest, after, afterRest, COARSE)
  const runs: Array<Run> = head > 0 ? [first] : []
  let last = first
  for (const run of [...aligned, ...coarse, { from: beforeEnd, start: afterEnd, count: tail }]) {
    const afterGap = { from: last.start + last.count, to: run.start }
    const gapFrom = last.from + last.count
    const gapBytes = afterGap.to - afterGap.from
    const beforeGap = { from: gapFrom, to: Math.min(run.from, gapFrom + FINE_REACH * gapBytes) }
    // Where a run was moved, nothing of the value before lies between it and its neighbour.
    if (beforeGap.to > beforeGap.from && gapBytes > FINE_GAP_MIN_BYTES)
      for (const piece of sharedPieces(before, beforeGap, after, afterGap, FINE)) runs.push(piece)
    if (run.count > 0) runs.push(run)
    last = run
  }
  return runs
}

/** Joins runs that go on from each other in both values. */
const joined = (runs: ReadonlyArray<Run>): ReadonlyArray<Run> => {
  const longer: Array<Run> = []
  for (const run of runs) {
    const last = longer.at(-1)
    if (last !== undefined && last.from + last.count === run.from && last.start + last.count === run.start)
      last.count += run.count
    else longer.push(run)
  }
  return longer
}

/** Extends a run byte by byte as far as the values agree, within the bounds of its neighbours. */
const lengthened = (run: Run, before: Uint8Array, after: Uint8Array, fromStart: number, toEnd: number): Run => {
  let { from, start, count } = run
  while (start > fromStart && from > 0 && before[from - 1] === after[start - 1]) {
    from -= 1
    start -= 1
    count += 1
  }
  while (start + count < toEnd && from + count < before.length && before[from + count] === after[start + count])
    count += 1
  return { from, start, count }
}

/**
 * The parts that turn one value into another, in time linear in their sizes. Their number is near the minimum where items
 * of a list were inserted, removed, moved or changed.
 */
export const diffBytes = (before: Uint8Array, after: Uint8Array): ReadonlyArray<PatchPart> => {
  const parts: Array<PatchPart> = []
  const runs = joined(sharedRuns(bufferOf(before), bufferOf(after)))
  let reached = 0
  for (const [index, found] of runs.entries()) {
    const run = lengthened(found, before, after, reached, runs[index + 1]?.start ?? after.length)
    if (run.count < TAKEN_MIN_BYTES) continue
    if (run.start > reached) parts.push(after.subarray(reached, run.start))
    parts.push({ from: run.from, count: run.count })
    reached = run.start + run.count
  }
  if (reached < after.length) parts.push(after.subarray(reached))
  return parts
}
