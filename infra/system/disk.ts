import { statfsSync } from "node:fs"

/** A disk with less free space counts as full: a file system may refuse the rest, and an engine needs some. */
const DISK_LOW_BYTES = 16 * 1024 * 1024

/** The free space for this user on the disk of a path, in bytes. */
export const freeBytes = (path: string): number => {
  const { bavail, bsize } = statfsSync(path)
  return bavail * bsize
}

/** Tests whether the disk of a path counts as full; false if that is unknown. */
export const isDiskLow = (path: string): boolean => freeBytesOrMany(path) < DISK_LOW_BYTES

/** With less free space no write is attempted. */
const DISK_FULL_BYTES = 1024 * 1024
/** Wait after a failed write if the disk has free space: a quota does not show in the free space. */
const TRY_AGAIN_MS = 1_000
/** How long a measurement of the free space is used. */
const ASKED_MS = 100

/**
 * Refuses writes while the disk is full. A write that fails for lack of space costs a failed transaction and a line that LMDB
 * prints outside the log, and a small write may succeed where the next one fails. Therefore the free space is measured
 * first, and after a failure every write is refused until there is space again, or records were dropped.
 */
export interface Room {
  /** Null if a write may be attempted, else the reason against it. */
  readonly refusal: () => string | null
  /** Notes that a write failed because the disk is full. */
  readonly failed: () => void
  /** Notes that space became free inside the file, which does not show on the disk. */
  readonly freed: () => void
}

/** Makes the check for files below a path. */
export const makeRoom = (path: string, nowMs: () => number = () => performance.now()): Room => {
  let failedMs: number | null = null
  let inside = false
  let asked = { atMs: Number.NEGATIVE_INFINITY, bytes: Number.POSITIVE_INFINITY }

  const free = (): number => {
    if (nowMs() - asked.atMs >= ASKED_MS) asked = { atMs: nowMs(), bytes: freeBytesOrMany(path) }
    return asked.bytes
  }
  return {
    refusal: () => {
      if (inside) return null
      if (free() < (failedMs === null ? DISK_FULL_BYTES : DISK_LOW_BYTES)) return `the disk of ${path} is full`
      if (failedMs === null) return null
      if (nowMs() - failedMs < TRY_AGAIN_MS) return `the disk of ${path} was full a moment ago`
      failedMs = null
      return null
    },
    failed: () => {
      failedMs = nowMs()
      inside = false
    },
    freed: () => {
      inside = true
    },
  }
}

/** If the free space is unknown, writes are attempted. */
const freeBytesOrMany = (path: string): number => {
  try {
    return freeBytes(path)
  } catch {
    return Number.POSITIVE_INFINITY
  }
}
