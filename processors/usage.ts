import type { DataOf, Envelope } from "../schemas/event.ts"
import { usageCounted } from "../schemas/events/usage.ts"
import type { State, StateChange } from "./processor.ts"

const HOUR_MS = 3_600_000
/** How long an API process is remembered after its last report: it repeats a report for minutes at the most. */
const REMEMBERED_MS = 24 * HOUR_MS

/** What is remembered of an API process. */
type Reported = {
  /** The number of its last report. */
  readonly sequence: number
  readonly atMs: number
}

const reportedKey = (instance: string): string => `reported/${instance}`
const SWEPT = "swept"

/** A report of usage that was not folded before, and the changes of state which remember that it is now. */
export interface NewReport {
  readonly report: DataOf<typeof usageCounted>
  readonly state: ReadonlyArray<StateChange>
}

/** Once an hour of event time: API processes that have reported nothing for a day are forgotten. */
const sweep = (state: State, nowMs: number): ReadonlyArray<StateChange> => {
  const hour = Math.floor(nowMs / HOUR_MS)
  if (state.get(SWEPT) === hour) return []
  const gone = state.keys(reportedKey("")).filter((key) => {
    const { atMs } = state.get(key) as Reported
    return atMs <= nowMs - REMEMBERED_MS
  })
  return [[SWEPT, hour], ...gone.map((key): StateChange => [key, null])]
}

/**
 * The report of usage that an event of the topic `usage` is; null for one that was folded before, and for any other event.
 * A report is appended at least once, and a process appends the next one only when the last one stands: so a number that
 * is not above the last of its process is a repetition. The state keys are `reported/<instance>` and `swept`.
 */
export const newReport = (state: State, event: Envelope<string, unknown>, nowMs: number): NewReport | null => {
  if (event.type !== usageCounted.type) return null
  const report = event.data as DataOf<typeof usageCounted>
  const key = reportedKey(report.instance)
  const before = state.get(key) as Reported | undefined
  if (before !== undefined && report.sequence <= before.sequence) return null
  const reported: Reported = { sequence: report.sequence, atMs: nowMs }
  return { report, state: [...sweep(state, nowMs).filter(([one]) => one !== key), [key, reported]] }
}
