import { LRUCache } from "lru-cache"

/** The same problem of the same document is recorded once in this time, since a broken upstream is polled every minute. */
const REPEATED_AFTER_MS = 3_600_000
const REMEMBERED_MAX = 2_000

/** Makes the filter that decides whether an undecoded document is quarantined. */
export const makeQuarantineFilter = (): ((
  instance: string,
  undecoded: { readonly provider: string; readonly document: string; readonly problem: string },
  nowMs: number,
) => boolean) => {
  const quarantinedMs = new LRUCache<string, number>({ max: REMEMBERED_MAX })
  return (instance, { provider, document, problem }, nowMs) => {
    const key = [instance, provider, document, problem].join("\n")
    const lastMs = quarantinedMs.get(key)
    if (lastMs !== undefined && nowMs - lastMs < REPEATED_AFTER_MS) return false
    quarantinedMs.set(key, nowMs)
    return true
  }
}
