import { DataType, load, open } from "ffi-rs"

// mallopt(3), <malloc.h> of glibc.
const M_TRIM_THRESHOLD = -1
const M_MMAP_THRESHOLD = -3
const M_ARENA_MAX = -8

const THRESHOLD_BYTES = 128 * 1024
const options: ReadonlyArray<readonly [option: number, value: number]> = [
  [M_MMAP_THRESHOLD, THRESHOLD_BYTES],
  [M_TRIM_THRESHOLD, THRESHOLD_BYTES],
  // By default each thread frees into an arena of its own, where no other thread finds it: 15 to 25 MB with two isolates and
  // their helpers. Blocks of JavaScript are not allocated here, so threads seldom wait for each other.
  [M_ARENA_MAX, 1],
]

// V8's share is set on the command line (package.json, Dockerfile): `--max-semi-space-size` bounds the young generation, and
// `--heap-growing-percent=15` collects the old one when it has grown by 15 %. V8's own choice lets it grow to several times
// what is in use, which cost 70 MB (`npm run bench -- service-hostile`).
// `--v8-pool-size=2` is Node's own: its four helpers mark the heap and compile, and a machine of two processors had none left
// for requests some 30 ms in each second (p99 of a premium call 36 ms; 21 ms with two). A single one costs 15 MB, as it marks
// late.
// `--no-maglev` and `--no-sparkplug` leave the interpreter and the optimising compiler: the two between them make a start
// warm up faster, and cost 40 MB of code and of memory while they compile, in a process that runs for weeks.
// `--no-allocation-site-pretenuring` keeps V8 from allocating in the old generation what often survived before. Where calls
// wait for a flush much does, and each such object then holds all that it refers to until the next major collection: once V8
// has begun it, a premium call takes half as much processor time again, and a bare route of the framework three times as much.

/** Node's own until version 24 made it eight times as large. */
const BUFFER_POOL_BYTES = 8 * 1024

/**
 * Bounds what a small buffer keeps in memory: those below half a pool share one, and each that stays keeps the whole pool. With
 * Node's 64 KiB, replies of a few kilobytes kept 60 MB. To be called in each thread, as each has its own pools.
 */
export const boundBufferPools = (): void => {
  Buffer.poolSize = BUFFER_POOL_BYTES
}

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
    for (const [option, value] of options)
      load({
        library: "glibc",
        funcName: "mallopt",
        retType: DataType.I32,
        paramsType: [DataType.I32, DataType.I32],
        paramsValue: [option, value],
      })
  } catch {
    // Another C library has neither this function nor this behaviour.
  }
}
