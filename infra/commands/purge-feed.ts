import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import * as Stream from "effect/Stream"
import { closest } from "fastest-levenshtein"
import { v7 } from "uuid"
import { changeTypeOf } from "../../processors/changes/stated.ts"
import { readStates } from "../../processors/history/state.ts"
import { type ItemPurge, keyDigest, type Span } from "../../processors/purges/item-purge.ts"
import { PURGE_WRITER, readPurges } from "../../processors/purges/purge-list.ts"
import { COMMIT_SPAN_MAX_MS } from "../../processors/run/runner.ts"
import { type ChangeType, changeTypes } from "../../schemas/change.ts"
import { type DataOf, encodeEvent, instant, makeEvent } from "../../schemas/event.ts"
import type { itemAppeared } from "../../schemas/events/deltas.ts"
import { feedPurged, SPANS_MAX } from "../../schemas/events/purges.ts"
import { type Feed, instanceKey } from "../../schemas/feed.ts"
import type { EventLog } from "../../schemas/ports/event-log.ts"
import type { History } from "../../schemas/ports/history.ts"
import { eventReader } from "../../schemas/registry.ts"
import type { Settings } from "../config/settings.ts"
import { openClickHouse } from "../history/clickhouse.ts"
import { holdLog, openWholeLog, refuseMissing } from "../log/open.ts"
import { startHistory } from "../roles/start-history.ts"
import { refuseReplay } from "../system/replay-folder.ts"
import { DONE } from "./arguments.ts"
import type { Command } from "./command.ts"

/** What is to be taken out of the past of a feed. */
export interface FeedPurge {
  readonly feed: Feed
  /** The key of the one item that is meant; null where it is the whole feed. */
  readonly key: string | null
  readonly from: string
  readonly to: string
  readonly operator: string
  readonly reason: string
}

/** A change of an item of the feed. */
interface KnownChange {
  readonly knownMs: number
  /** The instance of the feed whose item it is: two lists may have the same item, and only one of them lose it. */
  readonly instance: string
  readonly type: ChangeType
}

/** Nothing of what is meant was known. */
class NothingToPurge extends Schema.TaggedError<NothingToPurge>()("NothingToPurge", { problem: Schema.String }) {
  override get message() {
    return `nothing was purged: ${this.problem}`
  }
}

const Row = Schema.Struct({ known_ms: Schema.Int, instance: Schema.String, type: Schema.Literals(changeTypes) })
const Count = Schema.Struct({ rows: Schema.Natural })
const Key = Schema.Struct({ key: Schema.String })
const CHANGES = "item_changes"
const KEYS_MAX = 50_000

/** Reads the changes of a feed that the log holds and the history does not: all of them where there is none. */
const loggedChanges = <A>(
  log: EventLog,
  isArchived: boolean,
  feed: string,
  take: (data: DataOf<typeof itemAppeared>, type: ChangeType) => ReadonlyArray<A>,
) =>
  Effect.gen(function* () {
    const archived = isArchived ? ((yield* readStates(log)).get(CHANGES)?.next ?? 0) : 0
    const from = Math.max(archived, yield* log.start("deltas"))
    const mark = Buffer.from(`"feed":${JSON.stringify(feed)}`)
    return yield* log.read("deltas", from).pipe(
      Stream.runFold(
        (): Array<A> => [],
        (all, { records }) => {
          for (const { value } of records) {
            if (value === null || !Buffer.from(value.buffer, value.byteOffset, value.length).includes(mark)) continue
            const event = eventReader.readEvent(value)
            const type = Result.isSuccess(event) ? changeTypeOf[event.success.type] : undefined
            if (Result.isFailure(event) || type === undefined) continue
            const data = event.success.data as DataOf<typeof itemAppeared>
            if (data.feed === feed) all.push(...take(data, type))
          }
          return all
        },
      ),
    )
  })

/** The changes of one item in all instances of the feed, by time. */
const changesOfItem = Effect.fnUntraced(function* (log: EventLog, history: History | null, feed: string, key: string) {
  const archived =
    history === null
      ? []
      : yield* history.query(
          `SELECT toUnixTimestamp64Milli(known_at) AS known_ms, instance, type FROM ${CHANGES}
           WHERE feed = {feed:String} AND key = {key:String} ORDER BY known_at, log, ordinal`,
          Row,
          { feed, key },
        )
  const logged = yield* loggedChanges(log, history !== null, feed, (data, type) =>
    data.key === key
      ? [{ knownMs: Date.parse(data.observedAt), instance: instanceKey(feed, data.parameters), type }]
      : [],
  )
  const changes = archived.map(({ known_ms: knownMs, ...rest }): KnownChange => ({ knownMs, ...rest }))
  return [...changes, ...logged].toSorted((a, b) => a.knownMs - b.knownMs)
})

/** The key of the feed that is spelled most like one; null where none is known. */
const nearestKey = Effect.fnUntraced(function* (log: EventLog, history: History | null, feed: string, key: string) {
  const archived =
    history === null
      ? []
      : yield* history.query(`SELECT DISTINCT key FROM ${CHANGES} WHERE feed = {feed:String} LIMIT ${KEYS_MAX}`, Key, {
          feed,
        })
  const logged = yield* loggedChanges(log, history !== null, feed, (data) => [data.key])
  const keys = [...new Set([...archived.map((row) => row.key), ...logged])].slice(0, KEYS_MAX)
  return keys.length === 0 ? null : closest(key, keys)
})

/** The number of changes of a feed in an interval. */
const countChanges = Effect.fnUntraced(function* (
  log: EventLog,
  history: History | null,
  { feed: { name: feed }, from, to }: FeedPurge,
) {
  const [archived] =
    history === null
      ? []
      : yield* history.query(
          `SELECT count() AS rows FROM ${CHANGES}
           WHERE feed = {feed:String} AND known_at >= {from:DateTime64(3, 'UTC')} AND known_at < {to:DateTime64(3, 'UTC')}`,
          Count,
          { feed, from: from.slice(0, -1), to: to.slice(0, -1) },
        )
  const logged = yield* loggedChanges(log, history !== null, feed, ({ observedAt }) =>
    from <= observedAt && observedAt < to ? [observedAt] : [],
  )
  return (archived?.rows ?? 0) + logged.length
})

/** How much later than a change views that follow from it may be known: a fold that catches up commits so much time at once. */
const FOLD_MS = COMMIT_SPAN_MAX_MS + 60_000
/** Lists of one feed whose changes are not published may have held an item so long before the list whose changes are. */
const UNPUBLISHED_MS = 86_400_000

/** A purge before this one: of the item, or of the whole feed (`key` is null). */
type EarlierPurge = Pick<ItemPurge, "key" | "fromMs" | "toMs" | "shown">

/** A time within which earlier purges have removed the item's changes, and whether views could show it when that begins and ends. */
interface Removed extends Span {
  readonly isShownBefore: boolean
  readonly isShownAfter: boolean
}

/** What purges of the item have removed, in order; those that touch each other as one. */
const removedBy = (purges: ReadonlyArray<EarlierPurge>): ReadonlyArray<Removed> => {
  const all: Array<Removed> = []
  for (const { fromMs, toMs, shown } of purges.toSorted((a, b) => a.fromMs - b.fromMs || a.toMs - b.toMs)) {
    const isShownBefore = shown.some((span) => span.fromMs <= fromMs)
    const isShownAfter = shown.some((span) => span.toMs >= toMs)
    const last = all.at(-1)
    if (last === undefined || fromMs > last.toMs) all.push({ fromMs, toMs, isShownBefore, isShownAfter })
    else if (toMs > last.toMs) all.splice(-1, 1, { ...last, toMs, isShownAfter })
    else if (toMs === last.toMs && isShownAfter) all.splice(-1, 1, { ...last, isShownAfter })
  }
  return all
}

/** What became of an item in an instance: a change that is held, or that it was listed or not when an earlier purge ended. */
interface Mark {
  readonly knownMs: number
  readonly type: ChangeType | "listed" | "unlisted"
}

/** What is known of an item in an instance, by time. What purges say of it holds for each: none says in which instance it was. */
const marksOf = (
  instance: string,
  held: ReadonlyArray<KnownChange>,
  removed: ReadonlyArray<Removed>,
): ReadonlyArray<Mark> => {
  const left = removed.flatMap(({ fromMs, toMs, isShownBefore, isShownAfter }, index): ReadonlyArray<Mark> => {
    // Where changes before it are held, they say since when.
    const isBegin = isShownBefore && index === 0 && !held.some(({ knownMs }) => knownMs < fromMs)
    return [
      ...(isBegin ? [{ knownMs: fromMs, type: "changed" } as const] : []),
      isShownAfter ? { knownMs: toMs, type: "listed" } : { knownMs: fromMs, type: "unlisted" },
    ]
  })
  return [...left, ...held.filter((change) => change.instance === instance)].toSorted((a, b) => a.knownMs - b.knownMs)
}

/** When views could show an item of an instance. `clearedMs`: the ends of earlier purges, in order. */
const spansOf = (
  marks: ReadonlyArray<Mark>,
  clearedMs: ReadonlyArray<number>,
  saysGone: boolean,
): ReadonlyArray<Span> => {
  const spans: Array<Span> = []
  let sinceMs: number | null = null
  let lastMs: number | null = null
  // Since when an item was listed that did not appear. What it was before the first change that is held was not held either.
  const beforeMs = (knownMs: number): number =>
    clearedMs.findLast((ms) => ms <= knownMs && ms > (lastMs ?? Number.NEGATIVE_INFINITY)) ??
    (lastMs === null ? Number.NEGATIVE_INFINITY : knownMs)
  for (const { knownMs, type } of marks) {
    if (type !== "unlisted") sinceMs ??= type === "appeared" || type === "listed" ? knownMs : beforeMs(knownMs)
    lastMs = knownMs
    if (sinceMs === null || !(type === "unlisted" || (type === "gone" && saysGone))) continue
    spans.push({ fromMs: sinceMs, toMs: type === "gone" ? knownMs + FOLD_MS : knownMs })
    sinceMs = null
  }
  return sinceMs === null ? spans : [...spans, { fromMs: sinceMs, toMs: Number.POSITIVE_INFINITY }]
}

const isSpan = ({ fromMs, toMs }: Span): boolean => fromMs < toMs

/** What is left of spans without others. */
const without = (spans: ReadonlyArray<Span>, others: ReadonlyArray<Span>): ReadonlyArray<Span> =>
  others.reduce(
    (left, other) =>
      left
        .flatMap(({ fromMs, toMs }) => [
          { fromMs, toMs: Math.min(toMs, other.fromMs) },
          { fromMs: Math.max(fromMs, other.toMs), toMs },
        ])
        .filter(isSpan),
    spans,
  )

/** Spans by time, those that touch each other as one; one for all where an event has not so many. */
const joined = (spans: ReadonlyArray<Span>): ReadonlyArray<Span> => {
  const all: Array<Span> = []
  for (const span of spans.toSorted((a, b) => a.fromMs - b.fromMs)) {
    const last = all.at(-1)
    if (last === undefined || span.fromMs > last.toMs) all.push(span)
    else all.splice(-1, 1, { fromMs: last.fromMs, toMs: Math.max(last.toMs, span.toMs) })
  }
  const [first, last] = [all[0], all.at(-1)]
  return first === undefined || last === undefined || all.length <= SPANS_MAX
    ? all
    : [{ fromMs: first.fromMs, toMs: last.toMs }]
}

/** Whether an item was listed at the end of what is purged; `unknown` where no change that is held says so. */
type After = "listed" | "unlisted" | "unknown"

/**
 * When views could show an item, within an interval: in each instance of its feed from its first change until the commit of the one
 * with which it has gone. Of a feed that does not say when items leave it, until the end of the interval. What `earlier` purges
 * have taken out is left out of the spans, and of the changes that are `held`.
 */
export const shownOf = (
  feed: Pick<Feed, "name" | "instances" | "publishesChanges" | "publishesGone">,
  changes: ReadonlyArray<KnownChange>,
  { fromMs, toMs }: Span,
  earlier: ReadonlyArray<EarlierPurge> = [],
): { readonly spans: ReadonlyArray<Span>; readonly held: ReadonlyArray<KnownChange>; readonly after: After } => {
  const isPublished = feed.instances.every((parameters) => feed.publishesChanges(parameters))
  const saysGone = isPublished && feed.publishesGone
  // The history may not be without them yet, and a log is not before it is trimmed.
  const held = changes.filter(({ knownMs }) => !earlier.some((one) => one.fromMs <= knownMs && knownMs < one.toMs))
  const removed = removedBy(earlier.filter(({ key }) => key !== null))
  const instances = new Set(held.map(({ instance }) => instance))
  // In each of them it may have been listed ever since, without a change.
  if (removed.length > 0) for (const parameters of feed.instances) instances.add(instanceKey(feed.name, parameters))
  const marks = [...instances].map((instance) => marksOf(instance, held, removed))
  const clearedMs = earlier.map((one) => one.toMs).toSorted((a, b) => a - b)
  const spans = marks
    .flatMap((some) => spansOf(some, clearedMs, saysGone))
    .map((span) => ({
      fromMs: Math.max(span.fromMs - (isPublished ? 0 : UNPUBLISHED_MS), fromMs),
      toMs: Math.min(span.toMs, toMs),
    }))
    .filter(isSpan)
  const last = new Set(marks.map((some) => some.findLast(({ knownMs }) => knownMs < toMs)?.type))
  const isUnknown =
    last.has("listed") || (!saysGone && (last.has("appeared") || last.has("changed") || last.has("gone")))
  const isListed = saysGone && (last.has("appeared") || last.has("changed"))
  return {
    spans: joined(without(spans, earlier)),
    held,
    after: isListed ? "listed" : isUnknown ? "unknown" : "unlisted",
  }
}

/** What is said of an item behind the end of what is purged. */
const shownAfter: Readonly<Record<Exclude<After, "unlisted">, (to: string) => string>> = {
  listed: (to) => `it was still listed at ${to}: from then on it is shown, until a later purge`,
  unknown: (to) => `it is not known whether it was listed at ${to}: as long as it was it is shown, until a later purge`,
}

/** What is said of an item: how many of its changes go, when views could show it, and whether it is still listed at the end. */
const factsOfItem = Effect.fnUntraced(function* (
  log: EventLog,
  history: History | null,
  { feed, from, to }: FeedPurge,
  key: string,
) {
  const changes = yield* changesOfItem(log, history, feed.name, key)
  const earlier = (yield* readPurges(log)).filter(
    (one) => one.feed === feed.name && (one.key === null || one.key === keyDigest(one.id, key)),
  )
  if (changes.length === 0 && earlier.every((one) => one.key === null)) {
    const nearest = yield* nearestKey(log, history, feed.name, key)
    return yield* new NothingToPurge({
      problem:
        nearest === null
          ? `no change of an item of ${feed.name} is held`
          : `no item of ${feed.name} has this key; the nearest is ${nearest}`,
    })
  }
  const [fromMs, toMs] = [Date.parse(from), Date.parse(to)]
  const { spans, held, after } = shownOf(feed, changes, { fromMs, toMs }, earlier)
  const [first] = held
  if (spans.length === 0)
    return yield* new NothingToPurge({
      problem:
        first === undefined
          ? "what was known of the item is taken out already"
          : `the item was not known between ${from} and ${to}; its first change became known at ${instant(first.knownMs)}`,
    })
  const inside = held.filter(({ knownMs }) => fromMs <= knownMs && knownMs < toMs)
  return { spans, changes: inside.length, after }
})

const factsOf = (log: EventLog, history: History | null, purge: FeedPurge) =>
  purge.key === null
    ? Effect.map(countChanges(log, history, purge), (changes) => ({
        spans: [{ fromMs: Date.parse(purge.from), toMs: Date.parse(purge.to) }],
        changes,
        after: "unlisted" as const,
      }))
    : factsOfItem(log, history, purge, purge.key)

/** Opens the whole log of a service for an entry of its operator: neither a missing one nor that of a replay. */
export const openLogToPurge = Effect.fnUntraced(function* (settings: Settings) {
  yield* refuseMissing(settings)
  if (settings.kafkaBrokers === null) yield* refuseReplay(settings.dataDirectory)
  yield* holdLog(settings)
  return yield* openWholeLog(settings)
})

/** What is not removed, in one sentence. */
const LEFT =
  "not removed: the log until it is trimmed (KEEP_DAYS: 30 days of observations, 7 of changes, 1 of past replies), backups made before that, what is served now, and what others keep of replies"

/** Takes a feed, or one item of it, out of what is shown of the past and of what the history holds. */
export const purgeFeed =
  (purge: FeedPurge): Command =>
  (settings) =>
    Effect.gen(function* () {
      const log = yield* openLogToPurge(settings)
      const history = settings.history === "off" ? null : yield* openClickHouse(yield* startHistory(settings))
      if (history !== null) yield* history.prepare
      const { spans, changes, after } = yield* factsOf(log, history, purge)
      const id = v7()
      const { feed, key, from, to, operator, reason } = purge
      const event = makeEvent(feedPurged, {
        id,
        source: "tidewire/operator",
        subject: feed.name,
        time: instant(Date.now()),
        data: {
          feed: feed.name,
          ...(key === null ? {} : { key: keyDigest(id, key) }),
          from,
          to,
          shown: spans.map(({ fromMs, toMs }) => ({ from: instant(fromMs), to: instant(toMs) })),
          operator,
          reason,
        },
      })
      const writer = yield* log.claim(PURGE_WRITER, [feedPurged.topic])
      yield* writer.commit([{ topic: feedPurged.topic, key: feed.name, value: encodeEvent(event) }])
      const what = key === null ? `the feed ${feed.name}` : `the item of ${feed.name}`
      process.stdout.write(
        `${[
          `${what} is out of the past known from ${from} to ${to}: ${changes} changes; this is entry ${id}`,
          ...(after === "unlisted" ? [] : [shownAfter[after](to)]),
          history === null
            ? "HISTORY=off: there is no history to remove it from"
            : "the service removes it from the history within a minute of its next start, or of now where it runs",
          LEFT,
        ].join("\n")}\n`,
      )
      return DONE
    })
