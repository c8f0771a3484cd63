import { DataType, load, open } from "ffi-rs"

// flock(2), <sys/file.h>; the same values on Linux and macOS. Node itself has no binding for it, and every lock made of
// files alone is either left behind by kill -9 or can be taken twice.
const LOCK_SH = 1
const LOCK_EX = 2
const LOCK_NB = 4
const LOCK_UN = 8

// An empty name opens the running program, which has libc in it.
open({ library: "libc", path: "" })
const flock = (descriptor: number, operation: number): number =>
  load({
    library: "libc",
    funcName: "flock",
    retType: DataType.I32,
    paramsType: [DataType.I32, DataType.I32],
    paramsValue: [descriptor, operation],
  })

/**
 * Locks an open file or folder, alone or with others that share it, and says whether that was possible: it never waits.
 * The lock belongs to this opening of the file, and the kernel gives it back when that is closed, however the process ends.
 */
export const tryLock = (descriptor: number, mode: "alone" | "shared"): boolean =>
  flock(descriptor, (mode === "alone" ? LOCK_EX : LOCK_SH) | LOCK_NB) === 0

/** Gives a lock back. */
export const unlock = (descriptor: number): void => {
  flock(descriptor, LOCK_UN)
}
