import {
  inactiveCategories,
  TSUNAMI_MESSAGES_SHOWN_MAX,
  type TsunamiMessage,
  tsunami,
  tsunamiEndpoint,
  tsunamiKey,
  tsunamiLevel,
  tsunamiLevels,
} from "../../schemas/feeds/tsunami.ts"
import { changesOf, fromEvery, nextAfter, recent, until, view } from "../view/view.ts"

const HOUR_MS = 3_600_000
/**
 * How long a message is active after it was issued. Centres repeat a message about a danger at least hourly while it lasts
 * and then cancel it; a day bridges the outage of a centre. Information expires sooner.
 */
const ACTIVE_MS = { danger: 24 * HOUR_MS, info: 6 * HOUR_MS }

/** When a message stops being active by its age. */
const endsAtMs = ({ category, issuedAt }: TsunamiMessage): number =>
  Date.parse(issuedAt) + (tsunamiLevel[category] === "info" ? ACTIVE_MS.info : ACTIVE_MS.danger)

/** The most messages kept in memory: a centre publishes some ten an hour while several dangers last. */
const REMEMBERED_MAX = 500

const newestFirst = (one: TsunamiMessage, other: TsunamiMessage): number =>
  one.issuedAt < other.issuedAt ? 1 : one.issuedAt > other.issuedAt ? -1 : (other.number ?? 0) - (one.number ?? 0)

/**
 * The latest message of each product about each event. The feed of a centre holds its latest message alone, whatever its
 * product: an information statement there ends no threat, only the threat's own product does.
 */
const latestOfEach = (messages: ReadonlyArray<TsunamiMessage>): ReadonlyArray<TsunamiMessage> => {
  const latest = new Map<string, TsunamiMessage>()
  for (const message of messages.toSorted(newestFirst)) {
    const key = tsunamiKey(message)
    if (!latest.has(key)) latest.set(key, message)
  }
  return [...latest.values()]
}

/**
 * Whether a message without a product, read from the title of a feed, has ended: it belongs to no series, so the next
 * message of its centre about a danger, or about the end of one, replaces it.
 */
const isSuperseded = (message: TsunamiMessage, all: ReadonlyArray<TsunamiMessage>): boolean =>
  message.product === null &&
  all.some(
    ({ centre, category, issuedAt }) =>
      centre === message.centre && issuedAt > message.issuedAt && category !== "information" && category !== "test",
  )

const messageRow = (message: TsunamiMessage) => ({
  centre: message.centre,
  event: message.event,
  product: message.product,
  number: message.number,
  level: tsunamiLevel[message.category],
  category: message.category,
  title: message.title,
  place: message.place,
  issued_at: message.issuedAt,
  magnitude: message.magnitude,
  lat: message.latitude,
  lon: message.longitude,
  note: message.note,
  url: message.url,
})

/** The instant from which on all centres were watched; null while one of them never was. */
const watchedByAll = (since: ReadonlyArray<string | null>): string | null =>
  since.reduce((latest, one) => (latest === null || one === null ? null : one > latest ? one : latest), "")

export default view({
  endpoint: tsunamiEndpoint,
  reads: {
    centres: fromEvery(tsunami),
    issued: recent(tsunami, {
      windowMs: ACTIVE_MS.danger,
      kinds: ["appeared", "changed"],
      max: REMEMBERED_MAX,
    }),
  },
  // A message stops being active at its time, whether or not a centre answers.
  clock: true,
  // Whether it is active depends on the time and on later messages.
  changes: [changesOf(tsunami, messageRow)],
  build: ({ centres, issued }, { nowMs }) => {
    const standing = latestOfEach([
      ...centres.flatMap(({ reading }) => reading?.payload.items ?? []),
      ...issued.map(({ item }) => item),
    ])
    const isActive = (message: TsunamiMessage): boolean =>
      !inactiveCategories.has(message.category) && nowMs < endsAtMs(message) && !isSuperseded(message, standing)
    const active = standing.filter(isActive)
    const shown = [...active, ...standing.filter((message) => !active.includes(message))]
      .slice(0, TSUNAMI_MESSAGES_SHOWN_MAX)
      .sort(newestFirst)
    const highest = tsunamiLevels.findLast((level) => active.some(({ category }) => tsunamiLevel[category] === level))
    const data = {
      highest_level: highest ?? ("none" as const),
      active_count: active.length,
      watched_since: watchedByAll(centres.map(({ reading }) => reading?.watchedSince ?? null)),
      messages: shown.map((message) => ({ ...messageRow(message), active: active.includes(message) })),
    }
    return until(data, nextAfter(nowMs, active.map(endsAtMs)))
  },
})
