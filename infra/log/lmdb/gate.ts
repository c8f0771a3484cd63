import { closeSync, openSync } from "node:fs"
import { join } from "node:path"
import { tryLock, unlock } from "../../config/file-lock.ts"

// A process that opens an LMDB environment writes down, as the number of its last transaction, the one that it has read
// there a moment before, and asks for no lock to do so (`mdb_env_open2` in the library's mdb.c). What another process has
// committed in that moment is forgotten: the next transaction begins where the forgotten one began, gives its pages out
// again, and a commit that was answered is gone, or the process that reads those pages. So nobody opens a log while
// somebody writes it.
//
// There are two locks. Whoever writes shares the folder of the log; whoever opens has it for himself. So that they come to
// that where others write all the time, they have the file `opening` for themselves before, and those that write look at
// it now and then and let them pass.

const OPENING_FILE = "opening"

/** How often somebody who writes looks whether somebody else waits to open. */
const LOOK_EVERY_MS = 5
/** How often whoever waits asks again. */
const ASK_EVERY_MS = 2
const OPENING_MS_MAX = 10_000

/** Where those who write pass. */
export interface Gate {
  /** Comes in: at once, where it gives nothing, or else when the promise is kept. In the order in which they came. */
  readonly enter: () => Promise<void> | undefined
  /** Goes out: once for each `enter`, when what was written is on disk, or is known not to be written. */
  readonly leave: () => void
  /** Lets everybody in who still waits: there is nothing left to write to. */
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
 * Opens what lies in a directory while nobody writes to it, in this process or another. Throws when others are not done
 * within `waitMsMax`.
 */
export const openAlone = <A>(directory: string, open: () => A, waitMsMax = OPENING_MS_MAX): A => {
  const { opening, folder } = descriptorsOf(directory)
  try {
    const deadlineMs = performance.now() + waitMsMax
    for (const descriptor of [opening, folder])
      while (!tryLock(descriptor, "alone")) {
        if (performance.now() > deadlineMs) throw new Error("others who open it or write to it do not get done")
        pause(ASK_EVERY_MS)
      }
    return open()
  } finally {
    closeSync(folder)
    closeSync(opening)
  }
}

/** Makes the gate of one opening of a log. */
export const makeGate = (directory: string): Gate => {
  const { opening, folder } = descriptorsOf(directory)
  const waiting: Array<() => void> = []
  let inside = 0
  let lookedAtMs = Number.NEGATIVE_INFINITY
  let timer: NodeJS.Timeout | undefined
  let closed = false

  const somebodyOpens = (): boolean => {
    if (!tryLock(opening, "shared")) return true
    unlock(opening)
    return false
  }
  const comeIn = (): boolean => {
    const nowMs = performance.now()
    if (nowMs - lookedAtMs >= LOOK_EVERY_MS) {
      if (somebodyOpens()) return false
      lookedAtMs = nowMs
    }
    if (inside === 0 && !tryLock(folder, "shared")) return false
    inside += 1
    return true
  }
  const rest = () => {
    clearInterval(timer)
    timer = undefined
  }
  const askAgain = () => {
    while (waiting.length > 0 && comeIn()) waiting.shift()?.()
    if (waiting.length === 0) rest()
  }

  return {
    enter: () => {
      if (closed || (waiting.length === 0 && comeIn())) return undefined
      timer ??= setInterval(askAgain, ASK_EVERY_MS)
      return new Promise((resolve) => waiting.push(resolve))
    },
    leave: () => {
      if (closed) return
      inside -= 1
      if (inside === 0) unlock(folder)
    },
    close: () => {
      closed = true
      rest()
      closeSync(folder)
      closeSync(opening)
      for (const pass of waiting.splice(0)) pass()
    },
  }
}
