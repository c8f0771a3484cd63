import type { DataOf, Envelope } from "../schemas/event.ts"
import { usageCounted } from "../schemas/events/usage.ts"
import type { State, StateChange } from "./processor.ts"

const HOUR_MS = 3_600_000
/** How long the last report of an API process is kept; a process repeats a report for minutes at most. */
const REPORT_KEPT_MS = 24 * HOUR_MS

/** The last report of an API process. */
type LastReport = {
  /** The number of its last report. */
  readonly sequence: number
  readonly atMs: number
}

const reportedKey = (instance: string): string => `reported/${instance}`
const SWEPT = "swept"

/** A report of usage that was not folded before, and the changes of state that record it as folded. */
export interface NewReport {
  readonly report: DataOf<typeof usageCounted>
  readonly state: ReadonlyArray<StateChange>
}

/** Once an hour of event time, drops the entries of API processes that have not reported for a day. */
const sweep = (state: State, nowMs: number): ReadonlyArray<StateChange> => {
  const hour = Math.floor(nowMs / HOUR_MS)
  if (state.get(SWEPT) === hour) return []
  const gone = state.keys(reportedKey("")).filter((key) => {
    const { atMs } = state.get(key) as LastReport
    return atMs <= nowMs - REPORT_KEPT_MS
  })
  return [[SWEPT, hour], ...gone.map((key): StateChange => [key, null])]
}

/**
 * The report of usage in an event of the topic `usage`; null for one that was folded before, and for any other event. A
 * report is appended at least once, and a process appends the next one only after the last one was acknowledged: a
 * sequence number that is not above the last of its process is a duplicate. State keys: `reported/<instance>` and `swept`.
 */
export const newReport = (state: State, event: Envelope<string, unknown>, nowMs: number): NewReport | null => {
  if (event.type !== usageCounted.type) return null
  const report = event.data as DataOf<typeof usageCounted>
  const key = reportedKey(report.instance)
  const before = state.get(key) as LastReport | undefined
  if (before !== undefined && report.sequence <= before.sequence) return null
  const reported: LastReport = { sequence: report.sequence, atMs: nowMs }
  return { report, state: [...sweep(state, nowMs).filter(([one]) => one !== key), [key, reported]] }
}
