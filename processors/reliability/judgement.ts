import { type EventType, instant } from "../../schemas/event.ts"
import { feedProbed, type Verdict } from "../../schemas/events/deltas.ts"
import type { Feed } from "../../schemas/feed.ts"
import type { DerivedEvent } from "../processor.ts"
import { type AnnouncedSince, announcedInRow } from "./announced.ts"
import type { JudgedRow } from "./breakdown.ts"
import { type DeclaredInstance, isOverdue } from "./rows.ts"
import { type Checks, lastVerdict, withCheck, withoutCheck } from "./score.ts"
import type { ScoredRow } from "./table.ts"
import { isMissed, type Presence, type TriedInstance, verdictOf, worst } from "./verdict.ts"

/** The inputs of a judgement. */
export interface Evidence {
  readonly feeds: ReadonlyMap<string, Feed>
  /** The last success of an instance; undefined where it has not been tried. */
  readonly triedOf: (key: string) => TriedInstance | undefined
  /** What the upstreams of an instance announce. */
  readonly announcedOf: (key: string) => AnnouncedSince
  readonly checksOf: (row: string) => Checks | undefined
  readonly presence: Presence | undefined
  readonly nowMs: number
  /** The slot of `nowMs`. */
  readonly slot: number
}

/** An instance of a row, with its last success. */
interface Member {
  readonly declared: DeclaredInstance
  readonly tried: TriedInstance | undefined
  /** The maximum age of its content that its feed promises; null for none. */
  readonly contentAgeMaxMs: number | null
}

/** The judgement of one row. */
export interface Judgement {
  readonly scored: ScoredRow
  readonly details: JudgedRow
  /** The check of this slot; null where no verdict is possible. */
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

/** The latest end of a throttle that is not over; null without one. */
const throttledUntilOf = (instances: ReadonlyArray<TriedInstance | undefined>, nowMs: number): string | null =>
  instances
    .map((one) => one?.throttledUntil ?? null)
    .filter((until) => until !== null && Date.parse(until) > nowMs)
    .reduce((latest, one) => (latest === null || (one !== null && one > latest) ? one : latest), null)

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
  // Widened to `EventType`.
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
 * Judges a row at an instant, by all of its instances that are polled. Null where no instance has been tried or is overdue,
 * and where no earlier check is left in the window.
 */
export const judgeRow = (
  row: string,
  declared: ReadonlyArray<DeclaredInstance>,
  evidence: Evidence,
): Judgement | null => {
  const { feeds, triedOf, announcedOf, checksOf, presence, nowMs, slot } = evidence
  // An instance that was declared recently and not yet tried is not judged.
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
    details: {
      checks,
      lastSuccess: lastSuccessOf(least),
      contentAgeMaxMs: least.contentAgeMaxMs,
      throttledUntil: throttledUntilOf(
        declared.map(({ key }) => triedOf(key)),
        nowMs,
      ),
      announced: announcedInRow(declared.map(({ key }) => announcedOf(key))),
    },
    checked: verdict === null ? null : { checks, event: probed(row, { ...first, tried: least.tried }, verdict, nowMs) },
  }
}
