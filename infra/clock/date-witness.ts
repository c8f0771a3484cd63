// Upstreams state the time in the header `Date`. One of them may be wrong or hostile, so several must agree.

/** Hosts that must agree. */
export const HOSTS_MIN = 3
/** How far the hosts that agree may be apart from their middle one, in milliseconds. */
const APART_MS_MAX = 60_000
/** The greatest age of a host's time. */
const AGE_MS_MAX = 15 * 60_000

/** Collects the times of upstream hosts. */
export interface DateWitness {
  /** Records the headers `Date` and `Age` of a reply that has just arrived. */
  readonly note: (host: string, date: string | undefined, age: string | undefined) => void
  /** The present time by more than half of the recent hosts, at least `HOSTS_MIN`; null without such an agreement. */
  readonly nowMs: () => number | null
}

/** Makes a witness. `steadyMs`: a monotonic clock. Hosts are those of the sources, so their number is bounded. */
export const makeDateWitness = (steadyMs: () => number): DateWitness => {
  const times = new Map<string, { readonly atMs: number; readonly steadyMs: number }>()
  return {
    note: (host, date, age) => {
      const atMs = date === undefined ? Number.NaN : Date.parse(date)
      // A cached reply has the time at which it was stored; `Age` is the time since then.
      const ageMs = age === undefined ? 0 : Number(age) * 1000
      if (Number.isFinite(atMs) && Number.isFinite(ageMs) && ageMs >= 0)
        times.set(host, { atMs: atMs + ageMs, steadyMs: steadyMs() })
    },
    nowMs: () => {
      const now = steadyMs()
      const recent = [...times.values()]
        .filter((one) => now - one.steadyMs <= AGE_MS_MAX)
        .map((one) => one.atMs + (now - one.steadyMs))
        .sort((one, other) => one - other)
      const middle = recent[recent.length >> 1]
      if (middle === undefined || recent.length < HOSTS_MIN) return null
      const agreeing = recent.filter((atMs) => Math.abs(atMs - middle) <= APART_MS_MAX)
      return agreeing.length >= HOSTS_MIN && agreeing.length * 2 > recent.length ? middle : null
    },
  }
}
