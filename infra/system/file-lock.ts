import { DataType, load, open } from "ffi-rs"

// flock(2), <sys/file.h>; the same values on Linux and macOS. Node has no binding for it, and a lock file without it either
// survives kill -9 or can be taken twice.
const LOCK_SH = 1
const LOCK_EX = 2
const LOCK_NB = 4
const LOCK_UN = 8

// An empty name opens the running program, which contains libc.
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
 * Tries to lock an open file or folder, exclusively or shared, without waiting; gives whether it succeeded. The lock belongs
 * to this descriptor: the kernel releases it when the descriptor is closed, however the process ends.
 */
export const tryLock = (descriptor: number, mode: "alone" | "shared"): boolean =>
  flock(descriptor, (mode === "alone" ? LOCK_EX : LOCK_SH) | LOCK_NB) === 0

/** Releases a lock. */
export const unlock = (descriptor: number): void => {
  flock(descriptor, LOCK_UN)
}
