import type { BudgetCheckpoint } from "./checkpoint.ts"
import type { Quota } from "./provider-access.ts"
import { countRequest, quotaWaitMs } from "./quota.ts"

/** Counts requests against quotas, by budget name: one per provider, and one per source that is fetched on request. */
export interface Budgets {
  /** Milliseconds until a request is admitted; null if it is admitted now. Does not count it. */
  readonly waitMs: (name: string, quotas: ReadonlyArray<Quota>, isOnRequest: boolean, nowMs: number) => number | null
  /** Counts one request. */
  readonly count: (name: string, quotas: ReadonlyArray<Quota>, isOnRequest: boolean, nowMs: number) => void
  /** The budgets that changed since they were last saved; the next commit saves them. */
  readonly unsaved: () => ReadonlyArray<readonly [name: string, checkpoint: BudgetCheckpoint]>
  /** Marks these checkpoints as saved by a commit. A budget that has changed since stays unsaved. */
  readonly saved: (checkpoints: ReadonlyArray<readonly [name: string, checkpoint: BudgetCheckpoint]>) => void
}

/** Makes the budgets, restored from their checkpoints. Names come from code only, which bounds their number. */
export const makeBudgets = (restored: ReadonlyMap<string, BudgetCheckpoint>): Budgets => {
  const checkpoints = new Map(restored)
  const changed = new Set<string>()
  const windowOf = (name: string, { per }: Quota) => checkpoints.get(name)?.windows.find((one) => one.per === per)
  return {
    waitMs: (name, quotas, isOnRequest, nowMs) => {
      const waits = quotas.flatMap((quota) => quotaWaitMs(quota, windowOf(name, quota), isOnRequest, nowMs) ?? [])
      return waits.length === 0 ? null : Math.max(...waits)
    },
    count: (name, quotas, isOnRequest, nowMs) => {
      if (quotas.length === 0) return
      const windows = quotas.map((quota) => countRequest(quota.per, windowOf(name, quota), isOnRequest, nowMs))
      checkpoints.set(name, { v: 2, windows })
      changed.add(name)
    },
    unsaved: () =>
      [...changed].flatMap((name) => {
        const checkpoint = checkpoints.get(name)
        return checkpoint === undefined ? [] : [[name, checkpoint] as const]
      }),
    saved: (saved) => {
      for (const [name, checkpoint] of saved) if (checkpoints.get(name) === checkpoint) changed.delete(name)
    },
  }
}
