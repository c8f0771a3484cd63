import type { FeedBreakdown } from "../../schemas/endpoints/pro-feed-reliability.ts"
import { type EventType, instant } from "../../schemas/event.ts"
import { feedProbed, type Verdict } from "../../schemas/events/deltas.ts"
import { ANNOUNCEMENTS_MAX, type Announcement } from "../../schemas/events/observations.ts"
import type { Feed } from "../../schemas/feed.ts"
import type { DerivedEvent } from "../processor.ts"
import type { DeclaredInstance } from "./rows.ts"
import { CHECK_EVERY_MS, type Checks, lastVerdict, withCheck, withoutCheck } from "./score.ts"
import type { JudgedRow, ScoredRow } from "./table.ts"

const DAY_MS = 24 * 60 * 60_000
/** The ingest role polls overdue sources within this time after its start. */
const FIRST_POLLS_MS = 30_000

/** The last success of an instance that has been tried at least once. */
export type TriedInstance = {
  readonly observedAtMs: number | null
  readonly freshUntilMs: number
  readonly contentAtMs: number | null
  /** When the ingest role first stopped after the last try of the instance; null if it has run since. */
  readonly awayFromMs: number | null
  /** Until when it is polled less often, as it logs too much; absent where it keeps its interval. */
  readonly throttledUntil?: string
  /** Whether a simulated world gave its last success; absent for a real upstream. */
  readonly simulated?: true
}

/** An instance whose polls have all failed so far. */
export const NEVER_SUCCEEDED: TriedInstance = {
  observedAtMs: null,
  freshUntilMs: 0,
  contentAtMs: null,
  awayFromMs: null,
}

/** When the ingest role was last seen, and when it last restarted; null if it has not. */
export type Presence = { readonly seenMs: number; readonly backMs: number | null }

const order: ReadonlyArray<Verdict> = ["ok", "stale", "dark"]

/** The worst of some verdicts. */
const worst = (verdicts: ReadonlyArray<Verdict>): Verdict =>
  order[Math.max(...verdicts.map((one) => order.indexOf(one)))] ?? "dark"

/** The verdict on one instance at an instant; `contentAgeMaxMs` is the maximum age of content that its feed promises. */
const verdictOf = (tried: TriedInstance | undefined, contentAgeMaxMs: number | null, nowMs: number): Verdict => {
  if (tried === undefined || tried.observedAtMs === null || nowMs - tried.observedAtMs > DAY_MS) return "dark"
  const contentTooOld =
    contentAgeMaxMs !== null && tried.contentAtMs !== null && nowMs - tried.contentAtMs > contentAgeMaxMs
  // `freshUntil` is the poll's own promise: twice its interval after it, or less where its content was old already.
  return nowMs <= tried.freshUntilMs && !contentTooOld ? "ok" : "stale"
}

/**
 * Presence and instances after a start of the ingest role at `nowMs`: it was down since it was last seen. An instance that
 * was not tried between two starts in quick succession keeps the beginning of the first downtime.
 */
export const afterStart = (
  before: Presence | undefined,
  known: ReadonlyArray<readonly [key: string, tried: TriedInstance]>,
  nowMs: number,
): { readonly presence: Presence; readonly tried: ReadonlyArray<readonly [key: string, tried: TriedInstance]> } => {
  const seenMs = Math.max(before?.seenMs ?? 0, ...known.map(([, { observedAtMs }]) => observedAtMs ?? 0))
  if (seenMs === 0) return { presence: { seenMs: nowMs, backMs: null }, tried: [] }
  const backMs = before?.backMs ?? null
  const stillExcused = backMs !== null && seenMs - backMs < CHECK_EVERY_MS
  return {
    presence: { seenMs: nowMs, backMs: nowMs },
    tried: known.map(([key, tried]) => [
      key,
      { ...tried, awayFromMs: stillExcused ? (tried.awayFromMs ?? seenMs) : seenMs },
    ]),
  }
}

/**
 * Whether an instance is missed rather than judged: its verdict became worse while the ingest role was down, it has not been
 * tried since, and the start was less than five minutes ago.
 */
const isMissed = (
  tried: TriedInstance | undefined,
  contentAgeMaxMs: number | null,
  presence: Presence | undefined,
  nowMs: number,
): boolean => {
  const backMs = presence?.backMs ?? null
  if (tried === undefined || tried.awayFromMs === null || backMs === null) return false
  if (nowMs - backMs >= CHECK_EVERY_MS) return false
  const left = verdictOf(tried, contentAgeMaxMs, tried.awayFromMs)
  const found = verdictOf(tried, contentAgeMaxMs, Math.min(nowMs, backMs + FIRST_POLLS_MS))
  return order.indexOf(found) > order.indexOf(left)
}

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

/** Whether the time for a first try is over: five minutes during which the ingest role was running. */
export const isOverdue = (one: DeclaredInstance, presence: Presence | undefined, nowMs: number): boolean =>
  nowMs - Math.max(one.sinceMs, presence?.backMs ?? 0) >= CHECK_EVERY_MS

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

/** What the upstreams of an instance announce, each with the time of the event that brought it first. */
export type AnnouncedSince = ReadonlyArray<Announcement & { readonly since: string }>

const identity = ({ provider, document, header, at, text }: Announcement): string =>
  JSON.stringify([provider, document, header, at, text])

/** The announcements after an event that brought the whole list: what stood before keeps its time. */
export const announcedAfter = (
  before: AnnouncedSince,
  announced: ReadonlyArray<Announcement>,
  time: string,
): AnnouncedSince => {
  const since = new Map(before.map((one) => [identity(one), one.since]))
  return announced.map((one) => ({ ...one, since: since.get(identity(one)) ?? time }))
}

/** The announcements of a row: those of its instances, each once, since the first of them. */
const announcedInRow = (instances: ReadonlyArray<AnnouncedSince>): FeedBreakdown["announced"] => {
  const earliest = new Map<string, AnnouncedSince[number]>()
  for (const one of instances.flat()) {
    const known = earliest.get(identity(one))
    if (known === undefined || one.since < known.since) earliest.set(identity(one), one)
  }
  return [...earliest.values()]
    .slice(0, ANNOUNCEMENTS_MAX)
    .map(({ provider, ...rest }) => ({ name: provider, ...rest }))
}
