// Upstreams say in the header `Date` what time it is. One of them may be wrong or lie: several must agree.

/** Hosts that must agree. */
export const HOSTS_MIN = 3
/** How far the hosts that agree may be apart from their middle one, in milliseconds. */
const APART_MS_MAX = 60_000
/** How long what a host said counts. */
const AGE_MS_MAX = 15 * 60_000

/** Collects what upstream hosts say of the time. */
export interface DateWitness {
  /** Notes the headers `Date` and `Age` of an answer that came just now. */
  readonly note: (host: string, date: string | undefined, age: string | undefined) => void
  /** What time it is now, by more than half of the hosts that have spoken lately, at least three; null where they do not agree. */
  readonly nowMs: () => number | null
}

/** Makes a witness. `steadyMs`: a clock that is never set. Hosts are those that sources name, so they are bounded. */
export const makeDateWitness = (steadyMs: () => number): DateWitness => {
  const said = new Map<string, { readonly atMs: number; readonly steadyMs: number }>()
  return {
    note: (host, date, age) => {
      const atMs = date === undefined ? Number.NaN : Date.parse(date)
      // An answer out of a cache has the time at which it was stored, and says how long ago that was.
      const ageMs = age === undefined ? 0 : Number(age) * 1000
      if (Number.isFinite(atMs) && Number.isFinite(ageMs) && ageMs >= 0)
        said.set(host, { atMs: atMs + ageMs, steadyMs: steadyMs() })
    },
    nowMs: () => {
      const now = steadyMs()
      const times = [...said.values()]
        .filter((one) => now - one.steadyMs <= AGE_MS_MAX)
        .map((one) => one.atMs + (now - one.steadyMs))
        .sort((one, other) => one - other)
      const middle = times[times.length >> 1]
      if (middle === undefined || times.length < HOSTS_MIN) return null
      const agreeing = times.filter((atMs) => Math.abs(atMs - middle) <= APART_MS_MAX)
      return agreeing.length >= HOSTS_MIN && agreeing.length * 2 > times.length ? middle : null
    },
  }
}
