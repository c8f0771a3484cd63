import { DataType, load, open } from "ffi-rs"

// mallopt(3), <malloc.h> of glibc.
const M_TRIM_THRESHOLD = -1
const M_MMAP_THRESHOLD = -3
const THRESHOLD_BYTES = 128 * 1024

/**
 * Has what was freed go back to the system. Left to itself, glibc raises the size from which a block is mapped by itself
 * to that of the largest block ever freed, up to 32 MiB: the documents and replies of a minute then lie scattered in
 * arenas that can never shrink, a fifth of the process. Does nothing where the C library is another one. Comes first,
 * as it speaks of blocks that are allocated later.
 */
export const returnFreedMemory = (): void => {
  if (process.platform !== "linux") return
  try {
    open({ library: "glibc", path: "libc.so.6" })
    for (const option of [M_MMAP_THRESHOLD, M_TRIM_THRESHOLD])
      load({
        library: "glibc",
        funcName: "mallopt",
        retType: DataType.I32,
        paramsType: [DataType.I32, DataType.I32],
        paramsValue: [option, THRESHOLD_BYTES],
      })
  } catch {
    // Another C library has neither the function nor the habit.
  }
}
