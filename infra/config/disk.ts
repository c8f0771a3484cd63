import { statfsSync } from "node:fs"

/** Below this much free space a disk counts as full: a file system may refuse what it has, and an engine needs some. */
export const DISK_LOW_BYTES = 16 * 1024 * 1024

/** The space that is free for this user on the disk of a path, in bytes. */
export const freeBytes = (path: string): number => {
  const { bavail, bsize } = statfsSync(path)
  return bavail * bsize
}

/** Whether the disk of a path counts as full; no, where it cannot be asked. */
export const isDiskLow = (path: string): boolean => freeBytesOrMany(path) < DISK_LOW_BYTES

/** With less free space nothing is tried. */
const DISK_FULL_BYTES = 1024 * 1024
/** How soon a disk that refused a write, and shows room, is tried again, in milliseconds: a quota is not shown. */
const TRY_AGAIN_MS = 1_000
/** How old the answer of the disk may be, in milliseconds. */
const ASKED_MS = 100

/**
 * Whether writing is worth a try. A write that fails for want of space costs a failed transaction and a line that LMDB
 * writes past our log, and a small write may fit where the next does not. So a full disk is asked, not tried, and after a
 * failure everything is refused until the disk shows room, or something was dropped.
 */
export interface Room {
  /** Null where a write may be tried, else why it would fail. */
  readonly refusal: () => string | null
  /** Says that a write failed because the disk is full. */
  readonly failed: () => void
  /** Says that space became free inside the file, which the disk does not show. */
  readonly freed: () => void
}

/** Makes the room of files below a path. */
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

/** A disk that cannot be asked is tried. */
const freeBytesOrMany = (path: string): number => {
  try {
    return freeBytes(path)
  } catch {
    return Number.POSITIVE_INFINITY
  }
}
