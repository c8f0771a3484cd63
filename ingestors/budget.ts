import type { BudgetCheckpoint } from "./checkpoint.ts"
import type { Source } from "./source.ts"

const MINUTE_MS = 60_000
const DAY_MS = 86_400_000

/** What the fetches on request of all sources may still spend. */
export interface Budgets {
  /** Takes one fetch of the source, or says in how many milliseconds there may be one. */
  readonly take: (source: Source, nowMs: number) => { readonly retryAfterMs: number } | null
  /** What the source has spent today, to be kept. */
  readonly spent: (source: Source) => BudgetCheckpoint | null
}

/** Makes the budgets, in windows of a minute and of a day (UTC); the days go on where the checkpoints left them. */
export const makeBudgets = (restored: ReadonlyMap<string, BudgetCheckpoint>): Budgets => {
  const days = new Map<string, BudgetCheckpoint>(restored)
  const minutes = new Map<string, { readonly minute: number; readonly spent: number }>()
  return {
    take: (source, nowMs) => {
      const { onDemand, name } = source
      if (onDemand === null) return { retryAfterMs: DAY_MS }
      const minute = Math.floor(nowMs / MINUTE_MS)
      const day = new Date(nowMs).toISOString().slice(0, 10)
      const ofMinute = minutes.get(name)
      const ofDay = days.get(name)
      const spentMinute = ofMinute?.minute === minute ? ofMinute.spent : 0
      const spentDay = ofDay?.day === day ? ofDay.spent : 0
      if (spentDay >= onDemand.perDayMax) return { retryAfterMs: DAY_MS - (nowMs % DAY_MS) }
      if (spentMinute >= onDemand.perMinuteMax) return { retryAfterMs: MINUTE_MS - (nowMs % MINUTE_MS) }
      minutes.set(name, { minute, spent: spentMinute + 1 })
      days.set(name, { v: 1, day, spent: spentDay + 1 })
      return null
    },
    spent: (source) => days.get(source.name) ?? null,
  }
}
