import type { FeedScore, Trust } from "../../schemas/endpoints/feed-reliability.ts"
import type { Verdict } from "../../schemas/events/deltas.ts"

/** Time between two checks, in milliseconds. */
export const CHECK_EVERY_MS = 5 * 60_000
/** Checks of a day. */
export const DAY_CHECKS = 288
/** Length of the rolling window, in checks: seven days. */
export const WINDOW_CHECKS = 7 * DAY_CHECKS
const TRUST_HIGH_CHECKS = 288
/** Below this many checks a feed is listed apart and not ranked. */
const TRUST_MEDIUM_CHECKS = 12

const letters: Readonly<Record<Verdict, string>> = { ok: "o", stale: "s", dark: "d" }
const verdicts: Readonly<Record<string, Verdict>> = { o: "ok", s: "stale", d: "dark" }
/** The letter of a slot without a check. */
export const NO_CHECK = "."

/**
 * The checks of one row: one letter for each five minutes (o, s, d, or a point where there was no check), oldest first,
 * and the slot (time divided by five minutes) of the first of them. Never longer than the window.
 */
export type Checks = { readonly first: number; readonly letters: string }

/** Adds a verdict for `slot`, which is later than every slot before. */
export const withCheck = (before: Checks | undefined, slot: number, verdict: Verdict): Checks => {
  const gap = before === undefined ? 0 : slot - (before.first + before.letters.length)
  // A gap of a window or more leaves no earlier check in the window.
  const grown: Checks =
    before === undefined || gap >= WINDOW_CHECKS
      ? { first: slot, letters: letters[verdict] }
      : { first: before.first, letters: before.letters + NO_CHECK.repeat(gap) + letters[verdict] }
  return inWindow(grown, slot)
}

/** The window that ends with `slot`, a slot without a check; null if the window holds no check. */
export const withoutCheck = (before: Checks | undefined, slot: number): Checks | null => {
  if (before === undefined) return null
  const gap = slot + 1 - (before.first + before.letters.length)
  if (gap >= WINDOW_CHECKS) return null
  return inWindow({ first: before.first, letters: before.letters + NO_CHECK.repeat(Math.max(0, gap)) }, slot)
}

/** The checks within the window that ends with `slot`. */
export const inWindow = (checks: Checks, slot: number): Checks => {
  const dropped = Math.max(0, slot - WINDOW_CHECKS + 1 - checks.first)
  return dropped === 0 ? checks : { first: checks.first + dropped, letters: checks.letters.slice(dropped) }
}

/** Verdicts by kind. */
export interface Counts {
  readonly ok: number
  readonly stale: number
  readonly dark: number
}

/** Counts the checks. */
export const countsOf = ({ letters: all }: Checks): Counts => {
  const counts = { ok: 0, stale: 0, dark: 0 }
  for (const letter of all) {
    if (letter === letters.ok) counts.ok += 1
    else if (letter === letters.stale) counts.stale += 1
    else if (letter === letters.dark) counts.dark += 1
  }
  return counts
}

/** Every check with its slot, oldest first. */
export const checksOf = ({
  first,
  letters: all,
}: Checks): ReadonlyArray<{ readonly slot: number; readonly verdict: Verdict }> =>
  [...all].flatMap((letter, index) => {
    const verdict = verdicts[letter]
    return verdict === undefined ? [] : [{ slot: first + index, verdict }]
  })

/** The verdict of the last check; null where there is none. */
export const lastVerdict = (checks: Checks): Verdict | null => checksOf(checks).at(-1)?.verdict ?? null

const rate = (part: number, whole: number): number => (whole === 0 ? 0 : Math.round((part / whole) * 1e4) / 1e4)

const trustOf = (checks: number): Trust =>
  checks >= TRUST_HIGH_CHECKS ? "high" : checks >= TRUST_MEDIUM_CHECKS ? "medium" : "low"

/** The published scores: rates are shares of the checks with four decimals, the score is an integer of 0 to 100. */
export const scoreOf = (
  counts: Counts,
): Pick<
  FeedScore,
  "score" | "uptime" | "availability" | "staleness_rate" | "dark_rate" | "checks" | "trust" | "low_coverage"
> => {
  const { ok, stale, dark } = counts
  const checks = ok + stale + dark
  return {
    score: checks === 0 ? 0 : Math.round((100 * (ok + 0.5 * stale)) / checks),
    uptime: rate(ok, checks),
    availability: rate(ok + stale, checks),
    staleness_rate: rate(stale, checks),
    dark_rate: rate(dark, checks),
    checks,
    trust: trustOf(checks),
    low_coverage: checks < TRUST_MEDIUM_CHECKS,
  }
}
