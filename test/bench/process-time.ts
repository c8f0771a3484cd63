import { readFileSync } from "node:fs"

/** Of the kernel's clock, which counts in hundredths of a second for programs. */
const TICK_MICROS = 10_000

/** Processor time that processes have used, all threads, in microseconds. */
export const cpuMicrosOf = (pids: ReadonlyArray<number>): number =>
  pids.reduce((sum, pid) => {
    // The name of the program stands in brackets before the state, which is the third field; user and system time follow as 14 and 15.
    const [, fields = ""] = /\) (.*)/su.exec(readFileSync(`/proc/${pid}/stat`, "utf8")) ?? []
    const [user, system] = fields.split(" ").slice(11, 13).map(Number)
    return sum + ((user ?? Number.NaN) + (system ?? Number.NaN)) * TICK_MICROS
  }, 0)

/** Milliseconds of a clock that all processes of this machine share. */
export const sharedNowMs = (): number => Number(process.hrtime.bigint()) / 1e6
