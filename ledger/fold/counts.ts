/** Length of a day; days of the ledger are those of UTC. */
export const DAY_MS = 24 * 60 * 60_000

/** The day of an instant, counted since the epoch. */
export const dayNumberOf = (atMs: number): number => Math.floor(atMs / DAY_MS)

/** How often something happened to an account on the latest day (UTC, since the epoch) on which it did. */
export interface DayCount {
  readonly day: number
  readonly count: number
}

/** The count of a new account. */
export const noneYet: DayCount = { day: 0, count: 0 }

const countOn = ({ day, count }: DayCount, atMs: number): number => (day === dayNumberOf(atMs) ? count : 0)

/** Counts one more. */
export const countedAt = (counted: DayCount, atMs: number): DayCount => ({
  day: dayNumberOf(atMs),
  count: countOn(counted, atMs) + 1,
})

/** Counts one less; none on a day that has none. */
export const countedBackAt = (counted: DayCount, atMs: number): DayCount => ({
  day: dayNumberOf(atMs),
  count: Math.max(0, countOn(counted, atMs) - 1),
})

/** Milliseconds until midnight UTC if the day's count has reached `max`; null if one more may happen now. */
export const waitMsOf = (counted: DayCount, max: number, nowMs: number): number | null =>
  countOn(counted, nowMs) < max ? null : (dayNumberOf(nowMs) + 1) * DAY_MS - nowMs

/** Counts by slot of time (the number of a minute, of a day), without empty slots. */
export type Tally = ReadonlyArray<readonly [slot: number, count: number]>

/** The tally with `change` added to a slot, never below 0, and without the slots before `firstSlot`. */
export const tallied = (tally: Tally | undefined, slot: number, change: number, firstSlot: number): Tally => {
  const others = (tally ?? []).filter(([at]) => at !== slot && at >= firstSlot)
  const count = (tally?.find(([at]) => at === slot)?.[1] ?? 0) + change
  return count > 0 && slot >= firstSlot ? [...others, [slot, count]] : others
}

/** The tally without the slots before `firstSlot`. */
export const talliedSince = (tally: Tally | undefined, firstSlot: number): Tally =>
  (tally ?? []).filter(([slot]) => slot >= firstSlot)

/** The sum of all slots from one on. */
export const countSince = (tally: Tally | undefined, firstSlot: number): number =>
  (tally ?? []).reduce((sum, [slot, count]) => (slot >= firstSlot ? sum + count : sum), 0)

/** The oldest slot that counts; undefined where none does. */
export const oldestSince = (tally: Tally | undefined, firstSlot: number): number | undefined =>
  (tally ?? []).reduce<number | undefined>(
    (oldest, [slot]) => (slot >= firstSlot && (oldest === undefined || slot < oldest) ? slot : oldest),
    undefined,
  )
