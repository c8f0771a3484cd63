import { type EventType, instant } from "../../schemas/event.ts"
import { feedProbed, type Verdict } from "../../schemas/events/deltas.ts"
import type { Feed } from "../../schemas/feed.ts"
import type { DerivedEvent } from "../processor.ts"
import type { JudgedRow } from "./breakdown.ts"
import { type Declared, isOverdue } from "./rows.ts"
import { type Checks, lastVerdict, withCheck, withoutCheck } from "./score.ts"
import type { ScoredRow } from "./table.ts"
import { isMissed, type Presence, type Tried, verdictOf, worst } from "./verdict.ts"

/** What a judgement is made from. */
export interface Evidence {
  readonly feeds: ReadonlyMap<string, Feed>
  /** What is known of an instance; undefined where it has not been tried. */
  readonly triedOf: (key: string) => Tried | undefined
  readonly checksOf: (row: string) => Checks | undefined
  readonly presence: Presence | undefined
  readonly nowMs: number
  /** The slot of `nowMs`. */
  readonly slot: number
}

/** An instance with what is known of it. */
interface Member {
  readonly declared: Declared
  readonly tried: Tried | undefined
  /** Its promise about the age of its content; null for none. */
  readonly contentAgeMaxMs: number | null
}

/** What a judgement makes of one row. */
export interface Judgement {
  readonly scored: ScoredRow
  readonly details: JudgedRow
  /** The check of this slot; null where nothing could be said. */
  readonly checked: { readonly checks: Checks; readonly event: DerivedEvent } | null
}

/** The member whose last success is the oldest, one without any before all others. */
const weakest = (members: readonly [Member, ...ReadonlyArray<Member>]): Member => {
  const successMs = ({ tried }: Member): number => tried?.observedAtMs ?? Number.NEGATIVE_INFINITY
  return members.reduce((least, one) => (successMs(one) < successMs(least) ? one : least), members[0])
}

const lastSuccessOf = ({ tried }: Member): JudgedRow["lastSuccess"] =>
  tried === undefined || tried.observedAtMs === null
    ? null
    : { observedAtMs: tried.observedAtMs, freshUntilMs: tried.freshUntilMs, contentAtMs: tried.contentAtMs }

/** The verdict on a row: that on the weakest of its instances; null where that depends on one that is missed. */
const verdictOn = (members: ReadonlyArray<Member>, { presence, nowMs }: Evidence): Verdict | null => {
  const certain = members.filter(({ tried, contentAgeMaxMs }) => !isMissed(tried, contentAgeMaxMs, presence, nowMs))
  const verdict = worst([
    "ok",
    ...certain.map(({ tried, contentAgeMaxMs }) => verdictOf(tried, contentAgeMaxMs, nowMs)),
  ])
  return verdict === "ok" && certain.length < members.length ? null : verdict
}

const probed = (row: string, { declared, tried }: Member, verdict: Verdict, nowMs: number): DerivedEvent => ({
  // A list of event types in general.
  type: feedProbed as unknown as EventType,
  subject: row,
  data: {
    feed: declared.feed,
    parameters: row === declared.key ? declared.parameters : {},
    provider: declared.provider,
    verdict,
    probedAt: instant(nowMs),
    ageMs: tried === undefined || tried.observedAtMs === null ? null : Math.max(0, nowMs - tried.observedAtMs),
  },
})

/**
 * Judges a row at an instant, by all of its instances that are polled. Null where there is nothing to say: none of them
 * has been tried, or has had the time for it, and no check of before is left in the window.
 */
export const judgeRow = (row: string, declared: ReadonlyArray<Declared>, evidence: Evidence): Judgement | null => {
  const { feeds, triedOf, checksOf, presence, nowMs, slot } = evidence
  // An instance that was declared a moment ago and not yet tried is not judged: nothing is known of it.
  const [first, ...others] = declared
    .map(
      (one): Member => ({
        declared: one,
        tried: triedOf(one.key),
        contentAgeMaxMs: feeds.get(one.feed)?.contentAgeMaxMs(one.parameters) ?? null,
      }),
    )
    .filter(({ declared: one, tried }) => tried !== undefined || isOverdue(one, presence, nowMs))
  if (first === undefined) return null
  const verdict = verdictOn([first, ...others], evidence)
  const before = checksOf(row)
  const checks = verdict === null ? withoutCheck(before, slot) : withCheck(before, slot, verdict)
  const status = checks === null ? null : lastVerdict(checks)
  if (checks === null || status === null) return null
  const least = weakest([first, ...others])
  return {
    scored: { feed: row, name: first.declared.provider, checks, status },
    details: { checks, lastSuccess: lastSuccessOf(least), contentAgeMaxMs: least.contentAgeMaxMs },
    checked: verdict === null ? null : { checks, event: probed(row, { ...first, tried: least.tried }, verdict, nowMs) },
  }
}
