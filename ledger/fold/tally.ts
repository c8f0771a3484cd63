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
