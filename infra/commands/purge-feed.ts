import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import * as Stream from "effect/Stream"
import { closest } from "fastest-levenshtein"
import { v7 } from "uuid"
import { changeTypeOf } from "../../processors/changes/stated.ts"
import { readStates } from "../../processors/history/state.ts"
import { keyDigest } from "../../processors/purges/item-purge.ts"
import { PURGE_WRITER, readPurges } from "../../processors/purges/purge-list.ts"
import { type ChangeType, changeTypes } from "../../schemas/change.ts"
import { type DataOf, encodeEvent, instant, makeEvent } from "../../schemas/event.ts"
import type { itemAppeared } from "../../schemas/events/deltas.ts"
import { feedPurged } from "../../schemas/events/purges.ts"
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
import { type After, type KnownChange, shownOf } from "./shown-spans.ts"

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
