import type { BudgetCheckpoint } from "./checkpoint.ts"
import type { Quota } from "./provider-access.ts"
import { countRequest, quotaWaitMs } from "./quota.ts"

/** Counts what is requested against quotas, by names: of providers, and of sources that are fetched on request. */
export interface Budgets {
  /** How long a request has to wait, in milliseconds; null where it may be made now. Counts nothing. */
  readonly waitMs: (name: string, quotas: ReadonlyArray<Quota>, isOnRequest: boolean, nowMs: number) => number | null
  /** Counts one request. */
  readonly count: (name: string, quotas: ReadonlyArray<Quota>, isOnRequest: boolean, nowMs: number) => void
  /** The budgets that were counted on since they were last saved, to be saved with the next commit. */
  readonly unsaved: () => ReadonlyArray<readonly [name: string, checkpoint: BudgetCheckpoint]>
  /** Says which of them a commit has saved. */
  readonly saved: (checkpoints: ReadonlyArray<readonly [name: string, checkpoint: BudgetCheckpoint]>) => void
}

/** Makes the budgets, which go on where the checkpoints left them. Names are those of code, so that they are bounded. */
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
