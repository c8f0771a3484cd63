import { DataType, load, open } from "ffi-rs"

// mallopt(3), <malloc.h> of glibc.
const M_TRIM_THRESHOLD = -1
const M_MMAP_THRESHOLD = -3
const THRESHOLD_BYTES = 128 * 1024

// V8's share is set on the command line (package.json, Dockerfile): `--max-semi-space-size` bounds the young generation, and
// `--heap-growing-percent=15` collects the old one when it has grown by 15 %. V8's own choice lets it grow to several times
// what is in use, which cost 70 MB (`npm run bench -- service-hostile`).

/**
 * Lets glibc return freed memory to the system. By default it raises the size from which a block gets its own mapping to the
 * largest block ever freed, up to 32 MiB: the documents and replies of a minute are then spread over arenas that never
 * shrink, a fifth of the process. Has no effect with another C library. Must be called first, as it applies to later
 * allocations only.
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
    // Another C library has neither this function nor this behaviour.
  }
}
