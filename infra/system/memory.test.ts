import { spawnSync } from "node:child_process"
import { describe, expect, it } from "vitest"

const MEMORY = new URL("memory.ts", import.meta.url).href
const MAIN = new URL("../main.js", import.meta.url).href

/** Large blocks that a process takes and gives back. */
const BLOCKS = 8

// What a busy minute does: a large block has been freed, then large ones come and go while small ones stay between them.
// Where nothing was done about it, glibc by then takes large ones from the heap, from which nothing goes back.
const PROBE = `
  import { readFileSync, writeSync } from "node:fs"
  import { DataType, load, open } from "ffi-rs"

  const measure = () => {
    open({ library: "probe", path: "libc.so.6" })
    const call = (funcName, retType, parameter, value) =>
      load({ library: "probe", funcName, retType, paramsType: [parameter], paramsValue: [value] })
    const take = (bytes) => call("malloc", DataType.BigInt, DataType.I64, bytes)
    const giveBack = (address) => call("free", DataType.Void, DataType.BigInt, address)
    const large = 8 * 1024 * 1024
    giveBack(take(large))
    const blocks = Array.from({ length: ${BLOCKS} }, () => {
      const block = take(large)
      take(100 * 1024)
      return block
    })
    blocks.forEach(giveBack)
    const mapped = readFileSync("/proc/self/maps", "utf8").trim().split("\\n").map((line) =>
      line.split(" ", 1)[0].split("-").map((text) => BigInt("0x" + text)))
    const kept = blocks.filter((block) => mapped.some(([from, to]) => block >= from && block < to))
    writeSync(3, String(kept.length))
  }
`

/** How many of the freed blocks are still the process's after `first`. */
const keptAfter = (first: string): number => {
  // As input: the flag `-e` would be passed on to the process that fills an empty code cache, which would start this again.
  const { output, stderr } = spawnSync(process.execPath, ["--input-type=module", "-", "--help"], {
    input: `${PROBE}\n${first}`,
    cwd: new URL("../..", import.meta.url),
    // Without the variables by which glibc takes the same settings.
    env: { PATH: process.env.PATH, HOME: process.env.HOME },
    stdio: ["pipe", "ignore", "pipe", "pipe"],
    encoding: "utf8",
  })
  const kilobytes = output[3] ?? ""
  if (!/^\d+$/.test(kilobytes)) throw new Error(stderr)
  return Number(kilobytes)
}

const isGlibc = (): boolean => {
  const { header } = process.report.getReport() as { readonly header?: { readonly glibcVersionRuntime?: string } }
  return process.platform === "linux" && header?.glibcVersionRuntime !== undefined
}

describe("a small buffer that stays", () => {
  const RAW = `import { writeSync } from "node:fs"; const kept = () => writeSync(3, String(Buffer.from("x".repeat(3000)).buffer.byteLength))`
  it("keeps a few kilobytes of its pool in memory in the service", () => {
    const { output } = spawnSync(process.execPath, ["--input-type=module", "-", "--help"], {
      input: `${RAW}; process.on("exit", kept); await import("${MAIN}")`,
      cwd: new URL("../..", import.meta.url),
      stdio: ["pipe", "ignore", "pipe", "pipe"],
      encoding: "utf8",
    })
    expect(Number(output[3])).toBeGreaterThan(0)
    expect(Number(output[3])).toBeLessThanOrEqual(8 * 1024)
  })
})

describe.skipIf(!isGlibc())("what was freed (needs Linux with glibc)", () => {
  it("stays in the process where nothing is done about it", () => {
    expect(keptAfter("measure()")).toBeGreaterThan(BLOCKS / 2)
  })

  // Not none at all: other threads may have mapped something in its place.
  it("goes back to the system", () => {
    const first = `const { returnFreedMemory } = await import("${MEMORY}"); returnFreedMemory(); measure()`
    expect(keptAfter(first)).toBeLessThanOrEqual(1)
  })

  it("goes back to the system in the service", () => {
    expect(keptAfter(`process.on("exit", measure); await import("${MAIN}")`)).toBeLessThanOrEqual(1)
  })
})
