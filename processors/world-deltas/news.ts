import { EARTHQUAKES_MAX, type Earthquake } from "../../schemas/feeds/earthquakes.ts"
import type { Story } from "../../schemas/feeds/tech-news.ts"
import { type LearntDelta, type QuakeData, quakeTypes, type Severity } from "../../schemas/payloads/world-delta.ts"

type WithoutTime<Delta> = Delta extends unknown ? Omit<Delta, "timestamp"> : never

/** An event before it has its timestamp. */
export type UntimedDelta = WithoutTime<LearntDelta>

/** The result of reading a payload: its news in order, and what is known from now on. `Known` is plain JSON. */
export interface Learnt<Known> {
  readonly news: ReadonlyArray<UntimedDelta>
  readonly known: Known
}

/**
 * What is known of items by their ids. A list of pairs, as ids are texts of an upstream, which an object could take for
 * members of its own (`__proto__`).
 */
export type KnownItems<Fact> = ReadonlyArray<readonly [id: string, fact: Fact]>

// Tidewire's own scale; no agency defines one over such different events. Published in the notes of each reply.

const above = (value: number, moderateFrom: number, majorFrom: number): Severity =>
  value < moderateFrom ? "minor" : value < majorFrom ? "moderate" : "major"

/** Severity of an earthquake by its magnitude: below 5 minor, below 6 moderate, else major. */
export const quakeSeverity = (magnitude: number): Severity => above(magnitude, 5, 6)

/** Severity of a story by its votes: below 25 minor, below 100 moderate, else major. Unknown votes count as none. */
export const storySeverity = (points: number | null): Severity => above(points ?? 0, 25, 100)

/** The turnover of 24 hours from which on a market is stated, in US dollars. */
export const MARKET_VOLUME_MIN_USD = 10_000
const MAJOR_VOLUME_USD = 100_000

/** Severity of a stated market by its turnover of 24 hours in US dollars: above 100,000 major, else moderate. */
export const marketSeverity = (volumeUsd: number): Severity => (volumeUsd > MAJOR_VOLUME_USD ? "major" : "moderate")

/** Severity of every launch. */
export const LAUNCH_SEVERITY: Severity = "moderate"

const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS
/** The smallest magnitude that is published. */
const QUAKE_MAGNITUDE_MIN = 4
/** An earthquake is news up to this long after its origin: agencies catalogue some late, and revise magnitudes. */
const QUAKE_NEWS_MS = 6 * HOUR_MS
/** How long an id is kept after its origin: longer than it can be news, as the origin time is revised too. */
const KNOWN_MS = 48 * HOUR_MS

/** Origin times in milliseconds by id, of those stated and of those in the first payload. */
export type KnownQuakes = KnownItems<number>

const typeOf = ({ type }: Earthquake): QuakeData["type"] | undefined => quakeTypes.find((one) => one === type)

/**
 * The earthquakes that are news: they have, for the first time, magnitude 4.0 or above, within six hours of their origin.
 * Without `known` the payload is the first one: its earthquakes are a backlog, and never news.
 */
export const learnQuakes = (
  quakes: ReadonlyArray<Earthquake>,
  known: KnownQuakes | undefined,
  nowMs: number,
): Learnt<KnownQuakes> => {
  const before = new Set(known?.map(([id]) => id))
  const fresh = quakes
    .flatMap((quake) => {
      const { id, otherIds = [], magnitude, time } = quake
      const type = typeOf(quake)
      const isNews =
        type !== undefined &&
        magnitude !== null &&
        magnitude >= QUAKE_MAGNITUDE_MIN &&
        Date.parse(time) > nowMs - QUAKE_NEWS_MS &&
        // An event whose preferred network changes is listed under another id, with the former one beside it.
        ![id, ...otherIds].some((one) => before.has(one))
      return isNews ? [{ quake, type, magnitude }] : []
    })
    .sort(({ quake: one }, { quake: other }) => (`${one.time} ${one.id}` < `${other.time} ${other.id}` ? -1 : 1))
  return {
    news:
      known === undefined
        ? []
        : fresh.map(({ quake, type, magnitude }) => ({
            type: "earthquake",
            severity: quakeSeverity(magnitude),
            data: {
              id: quake.id,
              type,
              magnitude,
              place: quake.place,
              depth_km: quake.depthKm,
              mag_type: quake.magnitudeType,
              time: quake.time,
              url: quake.url,
            },
          })),
    known: [...(known ?? []), ...fresh.map(({ quake }) => [quake.id, Date.parse(quake.time)] as const)]
      .filter(([, originMs]) => originMs > nowMs - KNOWN_MS)
      .slice(-EARTHQUAKES_MAX),
  }
}

/** Stories that have left the front page and are kept, at most: some hundreds leave it in a day. */
const LEFT_MAX = 5_000

/** When each story left the front page, in milliseconds; null while it is there. */
export type KnownStories = KnownItems<number | null>

/**
 * The stories that are on the front page for the first time in 24 hours, in its order. Without `known` the payload is the
 * first one: its stories are a backlog.
 */
export const learnStories = (
  stories: ReadonlyArray<Story>,
  known: KnownStories | undefined,
  nowMs: number,
): Learnt<KnownStories> => {
  const before = new Map((known ?? []).filter(([, leftMs]) => leftMs === null || leftMs > nowMs - DAY_MS))
  const onPage = new Set(stories.map(({ id }) => String(id)))
  const left = [...before].flatMap(([id, leftMs]) => (onPage.has(id) ? [] : [[id, leftMs ?? nowMs] as const]))
  return {
    news:
      known === undefined
        ? []
        : stories
            .filter(({ id }) => !before.has(String(id)))
            .map(({ id, title, url, score, comments, author, postedAt }) => ({
              type: "tech_news_story",
              severity: storySeverity(score),
              data: { id, title, url, points: score, num_comments: comments, author, time: postedAt },
            })),
    known: [
      ...left.sort(([one, oneMs], [other, otherMs]) => oneMs - otherMs || (one < other ? -1 : 1)).slice(-LEFT_MAX),
      ...[...onPage].sort().map((id) => [id, null] as const),
    ],
  }
}
