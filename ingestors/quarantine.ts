import { LRUCache } from "lru-cache"

/** The same problem of the same document is recorded once in this time: a broken upstream is polled every minute. */
const REPEATED_AFTER_MS = 3_600_000
const REMEMBERED_MAX = 2_000

/** Decides which documents that did not decode are quarantined. */
export const makeQuarantineFilter = (): ((
  instance: string,
  undecoded: { readonly provider: string; readonly document: string; readonly problem: string },
  nowMs: number,
) => boolean) => {
  const putAside = new LRUCache<string, number>({ max: REMEMBERED_MAX })
  return (instance, { provider, document, problem }, nowMs) => {
    const key = [instance, provider, document, problem].join("\n")
    const lastMs = putAside.get(key)
    if (lastMs !== undefined && nowMs - lastMs < REPEATED_AFTER_MS) return false
    putAside.set(key, nowMs)
    return true
  }
}
