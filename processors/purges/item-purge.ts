import { hash } from "node:crypto"
import type { DataOf, Envelope, EventOf } from "../../schemas/event.ts"
import { itemAppeared, itemChanged, itemGone } from "../../schemas/events/deltas.ts"
import { feedObserved, feedPatched } from "../../schemas/events/observations.ts"
import { eventPurged, type feedPurged } from "../../schemas/events/purges.ts"
import { documentQuarantined } from "../../schemas/events/quarantine.ts"
import { type ViewVersion, viewsChanged } from "../../schemas/events/versions.ts"
import { deltaPublished } from "../../schemas/events/world-deltas.ts"
import { type Feed, parseInstanceKey } from "../../schemas/feed.ts"
import type { WorldDeltaType } from "../../schemas/payloads/world-delta.ts"

/** Instants of known time from one on and before another, in milliseconds since the epoch. */
export interface Span {
  readonly fromMs: number
  readonly toMs: number
}

/** When some views could show what was taken out. */
export interface Shown extends Span {
  /** The paths of their endpoints. */
  readonly paths: ReadonlySet<string>
}

/** The endpoints whose views draw on a feed: `lingering` are those that may show an item after the feed holds it no more. */
export interface DrawingPaths {
  readonly plain: ReadonlyArray<string>
  readonly lingering: ReadonlyArray<string>
}

/** What an operator has taken out of the past of a feed, as a program asks for it. */
export interface ItemPurge extends Span {
  /** The id of the event that says so. */
  readonly id: string
  readonly feed: string
  /** The digest of the key of the one item that is meant; null where it is the whole feed. */
  readonly key: string | null
  readonly shown: ReadonlyArray<Shown>
}

/** The digest by which a purge names an item: what it has taken out does not follow from what it says. */
export const keyDigest = (purgeId: string, key: string): string => hash("sha256", `${purgeId}\n${key}`, "hex")

/** The feed of which an event of the world is news. */
export const feedOfDelta: Readonly<Record<WorldDeltaType, string>> = {
  earthquake: "earthquakes",
  tech_news_story: "tech-news",
  prediction_market_update: "predictions",
  space_launch: "launches",
}

const msOf = ({ from, to }: { readonly from: string; readonly to: string }): Span => ({
  fromMs: Date.parse(from),
  toMs: Date.parse(to),
})

/** The purge of an event. */
export const purgeOf = (
  { id, data }: EventOf<typeof feedPurged>,
  drawingOn: (feed: string) => DrawingPaths,
): ItemPurge => {
  const { plain, lingering } = drawingOn(data.feed)
  const spans = data.shown.map(msOf)
  const whole = msOf(data)
  const [first] = spans
  return {
    id,
    feed: data.feed,
    key: data.key ?? null,
    ...whole,
    shown: [
      ...(plain.length === 0 ? [] : spans.map((span) => ({ ...span, paths: new Set(plain) }))),
      ...(first === undefined || lingering.length === 0
        ? []
        : [{ fromMs: first.fromMs, toMs: whole.toMs, paths: new Set(lingering) }]),
    ],
  }
}

const within = ({ fromMs, toMs }: Span, ms: number): boolean => fromMs <= ms && ms < toMs

/** Whether what was known of an item at a time was taken out. */
export const isPurged = (purges: ReadonlyArray<ItemPurge>, feed: string, key: string, knownMs: number): boolean =>
  purges.some((purge) => purge.feed === feed && within(purge, knownMs) && isOf(purge, key))

/**
 * How long behind a purge of a whole feed its changes are without `before`: every feed is polled several times a day, so that
 * what an item was before a later change was known behind the purge, too.
 */
const FEED_BEFORE_MS = 86_400_000

/** When changes hold, as what their item was before, what a purge has taken out: of one item from its end on. */
export const beforeSpan = ({ key, toMs }: Pick<ItemPurge, "key" | "toMs">): Span => ({
  fromMs: toMs,
  toMs: key === null ? toMs + FEED_BEFORE_MS : Number.POSITIVE_INFINITY,
})

/** Whether what an item was before a change that became known at an instant may be of what was taken out. */
export const isPurgedBefore = (purges: ReadonlyArray<ItemPurge>, feed: string, key: string, knownMs: number): boolean =>
  purges.some((purge) => purge.feed === feed && within(beforeSpan(purge), knownMs) && isOf(purge, key))

/**
 * Whether what one item was until it was gone, at an instant, may be of what was taken out. Purges of a whole feed do not count: who
 * keeps its items learns that they are gone.
 */
export const isPurgedUntilGone = (
  purges: ReadonlyArray<ItemPurge>,
  feed: string,
  key: string,
  knownMs: number,
): boolean =>
  isPurgedBefore(
    purges.filter((purge) => purge.key !== null),
    feed,
    key,
    knownMs,
  )

const isOf = ({ id, key: digest }: ItemPurge, key: string): boolean => digest === null || keyDigest(id, key) === digest

/** Whether the past of a view at a time was taken out. */
const isWithdrawn = (purges: ReadonlyArray<ItemPurge>, viewKey: string, knownMs: number): boolean => {
  const { name } = parseInstanceKey(viewKey)
  return purges.some(({ shown }) => shown.some((one) => one.paths.has(name) && within(one, knownMs)))
}

/** What is left of an event after purges: the event itself where they do not concern it. */
export type Redaction = (event: Envelope<string, unknown>) => Envelope<string, unknown>

/**
 * Makes the function that takes out of events what purges have taken out. An event that held an item, or a payload with it, becomes
 * an `event.purged` with the same id, time and number. A later change loses what its item was before, and a `views.changed` the bodies
 * that could show the item. The result
 * depends on the event and the purges alone, so that a table which is filled again from the log is without the item again.
 */
export const makeRedaction = (purges: ReadonlyArray<ItemPurge>, feeds: ReadonlyMap<string, Feed>): Redaction => {
  const feedNames = new Set(purges.map(({ feed }) => feed))
  const ofFeed = (feed: string, ms: number) => purges.filter((purge) => purge.feed === feed && within(purge, ms))
  return (event) => {
    switch (event.type) {
      case itemAppeared.type:
      case itemChanged.type:
      case itemGone.type: {
        const { feed, key, observedAt } = event.data as DataOf<typeof itemAppeared>
        if (!feedNames.has(feed)) return event
        const knownMs = Date.parse(observedAt)
        if (isPurged(purges, feed, key, knownMs)) return redacted(event, feed)
        return event.type === itemChanged.type && isPurgedBefore(purges, feed, key, knownMs)
          ? withoutBefore(event)
          : event
      }
      case deltaPublished.type: {
        const { type, data } = event.data as DataOf<typeof deltaPublished>
        const feed = feedOfDelta[type]
        return feedNames.has(feed) && isPurged(purges, feed, String(data.id), Date.parse(event.time))
          ? redacted(event, feed)
          : event
      }
      case feedObserved.type:
      case feedPatched.type: {
        const { feed } = event.data as DataOf<typeof feedObserved>
        if (!feedNames.has(feed)) return event
        const known = feeds.get(feed)
        return ofFeed(feed, Date.parse(event.time)).some((purge) => holds(purge, event, known))
          ? redacted(event, feed)
          : event
      }
      case documentQuarantined.type: {
        const { feed } = event.data as DataOf<typeof documentQuarantined>
        // What did not decode has no items: the one that is meant may stand in it.
        return feedNames.has(feed) && ofFeed(feed, Date.parse(event.time)).length > 0 ? redacted(event, feed) : event
      }
      case viewsChanged.type: {
        const data = event.data as DataOf<typeof viewsChanged>
        const nowMs = Date.parse(event.time)
        const isGone = ({ view, part }: ViewVersion) => part === "body" && isWithdrawn(purges, view, nowMs)
        const versions = data.versions.filter((version) => !isGone(version))
        return versions.length === data.versions.length ? event : { ...event, data: { ...data, versions } }
      }
      default:
        return event
    }
  }
}

/** The event that stands in the place of another one. The subject of a change holds the key of its item. */
const redacted = (event: Envelope<string, unknown>, feed: string): Envelope<string, unknown> => ({
  ...event,
  type: eventPurged.type,
  subject: feed,
  v: eventPurged.version,
  data: { was: event.type, feed },
})

/** A change of an item without what the item was before. */
const withoutBefore = (event: Envelope<string, unknown>): Envelope<string, unknown> => {
  const { before, added, ...data } = event.data as DataOf<typeof itemChanged>
  return before === undefined && added === undefined ? event : { ...event, data }
}

/** Whether the payload of a poll may hold the purged item. True where the payload does not show which items it holds. */
const holds = (purge: ItemPurge, event: Envelope<string, unknown>, feed: Feed | undefined): boolean => {
  if (purge.key === null || feed === undefined) return true
  const isIt = (item: unknown) => isOf(purge, feed.key(item))
  try {
    if (event.type === feedObserved.type)
      return feed.items((event.data as DataOf<typeof feedObserved>).payload).some(isIt)
    // An item that is changed in place is named by its position alone.
    return (event.data as DataOf<typeof feedPatched>).parts.some((part) =>
      "changed" in part ? true : "items" in part && part.items.some(isIt),
    )
  } catch {
    return true
  }
}
