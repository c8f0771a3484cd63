import { closeSync, openSync } from "node:fs"
import { join } from "node:path"
import { tryLock, unlock } from "../../system/file-lock.ts"

// Opening an LMDB environment races with a commit of another process. The opening process reads the number of the last
// transaction and then writes it to the shared lock file, without a lock (`mdb_env_open2` in the library's mdb.c). A commit
// between the two is lost: the next transaction starts from the same number and reuses its pages, so that an acknowledged
// commit disappears, or a process that reads those pages crashes. It does so also where it opens to read alone. Therefore an
// environment that several processes use (the log, the cached state of the ledger) is never opened during a write.
//
// Two file locks ensure this. Writers hold a shared lock on the environment's folder; an opener holds it exclusively. Continuous
// writers would starve openers, so an opener first locks the file `opening`, and writers that see this lock wait.

/** The lock file of openers, in the folder of the environment. It stays as long as the folder: others may be waiting for it. */
export const OPENING_FILE = "opening"

/** How often a writer tests whether an opener is waiting. */
const OPENER_CHECK_MS = 5
/** How often a waiting writer or opener retries. */
const RETRY_MS = 2
/** A writer is inside until its event loop runs again: at a start on a machine that has no processor time left, half a minute. */
const OPEN_TIMEOUT_MS = 60_000

/** Writers or other openers did not finish in time, as one that is suspended: it cannot be opened now. */
export class StillInUse extends Error {
  constructor() {
    super("other processes are still opening it or writing to it")
  }
}

/** Admits writers to an environment while no process opens it. */
export interface WriteGate {
  /** Enters: at once if the result is undefined, else when the promise resolves. First come, first served. */
  readonly enter: () => Promise<void> | undefined
  /** Leaves: once for each `enter`, after the write is on disk or has failed. */
  readonly leave: () => void
  /** Admits every waiting writer: their writes fail, as the environment is closed. */
  readonly close: () => void
}

const pause = (ms: number): void => {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms)
}

const descriptorsOf = (directory: string) => ({
  opening: openSync(join(directory, OPENING_FILE), "a"),
  folder: openSync(directory, "r"),
})

/**
 * Runs `open` while no thread or process writes to the environment of a directory. Throws `StillInUse` if writers or other
 * openers do not finish within `timeoutMs`.
 */
export const openAlone = <A>(directory: string, open: () => A, timeoutMs = OPEN_TIMEOUT_MS): A => {
  const { opening, folder } = descriptorsOf(directory)
  try {
    const deadlineMs = performance.now() + timeoutMs
    for (const descriptor of [opening, folder])
      while (!tryLock(descriptor, "alone")) {
        if (performance.now() > deadlineMs) throw new StillInUse()
        pause(RETRY_MS)
      }
    return open()
  } finally {
    closeSync(folder)
    closeSync(opening)
  }
}

/** Makes the gate of one opening of an environment. */
export const makeWriteGate = (directory: string): WriteGate => {
  const { opening, folder } = descriptorsOf(directory)
  const waiting: Array<() => void> = []
  let inside = 0
  let checkedAtMs = Number.NEGATIVE_INFINITY
  let timer: NodeJS.Timeout | undefined
  let closed = false

  const isOpenerWaiting = (): boolean => {
    if (!tryLock(opening, "shared")) return true
    unlock(opening)
    return false
  }
  const tryEnter = (): boolean => {
    const nowMs = performance.now()
    if (nowMs - checkedAtMs >= OPENER_CHECK_MS) {
      if (isOpenerWaiting()) return false
      checkedAtMs = nowMs
    }
    if (inside === 0 && !tryLock(folder, "shared")) return false
    inside += 1
    return true
  }
  const stopRetrying = () => {
    clearInterval(timer)
    timer = undefined
  }
  const retry = () => {
    while (waiting.length > 0 && tryEnter()) waiting.shift()?.()
    if (waiting.length === 0) stopRetrying()
  }

  return {
    enter: () => {
      if (closed || (waiting.length === 0 && tryEnter())) return undefined
      timer ??= setInterval(retry, RETRY_MS)
      return new Promise((resolve) => waiting.push(resolve))
    },
    leave: () => {
      if (closed) return
      inside -= 1
      if (inside === 0) unlock(folder)
    },
    close: () => {
      closed = true
      stopRetrying()
      closeSync(folder)
      closeSync(opening)
      for (const admit of waiting.splice(0)) admit()
    },
  }
}
