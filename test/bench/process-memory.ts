import { readdirSync, readFileSync, writeFileSync } from "node:fs"

/** Resets the peak of a process, which includes the compilation of code at the start. */
export const forgetPeak = (pid: number): void => writeFileSync(`/proc/${pid}/clear_refs`, "5")

/** A figure of a process's memory, in bytes. */
export const memoryOf = (pid: number, name: "RssAnon" | "RssFile" | "VmHWM"): number =>
  Number(
    new RegExp(`${name}:\\s+(\\d+) kB`, "u").exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1] ?? Number.NaN,
  ) * 1024

const parentOf = (pid: number): number => {
  try {
    // The name of the program stands in brackets before the state and the parent.
    return Number(/\) \S (\d+) /u.exec(readFileSync(`/proc/${pid}/stat`, "utf8"))?.[1])
  } catch {
    // It ended meanwhile.
    return Number.NaN
  }
}

/** The processes that a process has started. */
export const childrenOf = (pid: number): ReadonlyArray<number> =>
  readdirSync("/proc")
    .map(Number)
    .filter((one) => one > 0 && parentOf(one) === pid)
