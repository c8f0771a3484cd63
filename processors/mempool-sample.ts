import { rounded } from "../schemas/number.ts"
import type { SeriesPoint } from "./view/series.ts"

const MINUTE_MS = 60_000
/** Fewer stretches than these say nothing about the rate. */
const STRETCHES_MIN = 5
const PLACES = 2

const median = (sorted: ReadonlyArray<number>): number => {
  const middle = Math.floor(sorted.length / 2)
  const upper = sorted[middle] ?? 0
  return sorted.length % 2 === 1 ? upper : ((sorted[middle - 1] ?? upper) + upper) / 2
}

/**
 * How many transactions reach the mempool in a minute: the median growth of their number between two looks at it, of those
 * stretches in which no block was found, as a block takes some thousand away at once. Null where too few stretches grew.
 */
export const arrivalsPerMinute = (
  counts: ReadonlyArray<SeriesPoint>,
  heights: ReadonlyArray<SeriesPoint>,
): number | null => {
  const heightAt = new Map(heights)
  const rates = counts.flatMap(([atMs, count], index): ReadonlyArray<number> => {
    const before = counts[index - 1]
    if (before === undefined || heightAt.get(atMs) !== heightAt.get(before[0])) return []
    const perMinute = ((count - before[1]) / (atMs - before[0])) * MINUTE_MS
    return heightAt.has(atMs) && perMinute > 0 ? [perMinute] : []
  })
  return rates.length < STRETCHES_MIN ? null : median(rates.sort((one, other) => one - other))
}

/** The share of the arriving transactions that was seen, of those shown in a minute; null where the rate is unknown. */
export const sampleShare = (shownPerMinute: number, arrivals: number | null): number | null =>
  arrivals === null ? null : Math.min(1, rounded(shownPerMinute / arrivals, PLACES))
