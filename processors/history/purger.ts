import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { encodeEvent, instant, makeEvent } from "../../schemas/event.ts"
import { type ViewVersion, viewsChanged } from "../../schemas/events/versions.ts"
import type { EventLog, LogRecord, Offset, ReadFailed } from "../../schemas/ports/event-log.ts"
import type { History, HistoryFailed, HistoryUndecodable } from "../../schemas/ports/history.ts"
import type { Past } from "../../schemas/ports/past.ts"
import type { Topic } from "../../schemas/topics.ts"
import type { ItemPurge } from "../purges/item-purge.ts"
import { recordsBytes } from "../run/stored-values.ts"
import type { Table } from "../table.ts"
import { changesAt, type Removal, removalsOf, viewsShowing } from "./purge-statements.ts"
import { countsBelow, type TableDependencies, whereHeld } from "./repair.ts"
import { type HistoryStopped, purgedOf } from "./state.ts"
import { archiveName, type Target } from "./targets.ts"

// What an operator has taken out of the past of a feed is removed here from what the history holds: rows of tables, bodies of
// views, payloads of the archive. What is written from then on is written without it (`table-writer.ts`), by the same rule, so that
// neither a repair nor a rebuild brings it back.

/** The table of the versions of views, and the topic of their events. */
const VERSIONS = "view_versions"
const VERSIONS_TOPIC = "versions"

/** What the purger needs of the run of the history. */
export interface PurgerDependencies extends Pick<TableDependencies, "history" | "states" | "purges"> {
  readonly log: EventLog
  readonly tables: ReadonlyArray<Table>
  readonly targets: ReadonlyArray<Target>
  /** The views as they were known. */
  readonly past: Past
  /** Runs an effect while nothing writes to these targets. */
  readonly alone: <A, E>(targets: ReadonlyArray<Target>, effect: Effect.Effect<A, E>) => Effect.Effect<A, E>
}

type PurgeFailed = HistoryFailed | HistoryUndecodable | HistoryStopped | ReadFailed

const Partition = Schema.Struct({ id: Schema.String })

/** Runs a removal month by month, where a month holds what it removes: each takes less time than a statement may. */
const remove = Effect.fnUntraced(function* (history: History, { table, change, condition, parameters }: Removal) {
  const partitions = yield* history.query(
    `SELECT DISTINCT _partition_id AS id FROM ${table} WHERE ${condition} ORDER BY id`,
    Partition,
    parameters,
  )
  for (const { id } of partitions)
    yield* history.execute(`ALTER TABLE ${table} ${change} IN PARTITION ID '${id}' WHERE ${condition}`, parameters)
  return partitions.length > 0
})

/** Removes purges from what one target holds. Gives whether it could: not where its writer has to finish something first. */
const purgeTarget = Effect.fnUntraced(function* (dependencies: PurgerDependencies, target: Target, upTo: number) {
  const { history, states, purges, tables, targets } = dependencies
  const state = states.get(target.name)
  if ((state.purges ?? 0) >= upTo) return true
  if (state.plan !== null || state.repair !== null || state.exchange !== null) return false
  const table = tables.find(({ name }) => name === target.name)
  const staged = new Set(targets.map((one) => one.table))
  for (const purge of purges().slice(state.purges ?? 0, upTo)) {
    let isAny = false
    for (const removal of yield* removalsOf({ history, topic: target.topic, table, purge, staged }))
      isAny = (yield* remove(history, removal)) || isAny
    if (isAny)
      yield* Effect.logInfo("what an operator has taken out was removed from the history").pipe(
        Effect.annotateLogs({ table: target.name, purge: purge.id, feed: purge.feed }),
      )
  }
  const counts = yield* countsBelow({ history }, target, state, whereHeld(target, state, "true"))
  yield* states.commit([[target.name, purgedOf(state, upTo, counts)]])
  return true
})

/** The topics whose events hold content of feeds, but for the versions of views. */
const CONTENT_TOPICS: ReadonlyArray<Topic> = ["deltas", "observations", "quarantine"]

/** The archive first, as it says then which events of a topic are taken out; what answers by feed and key last. */
const inOrder = (topic: Topic, targets: ReadonlyArray<Target>): ReadonlyArray<Target> =>
  targets.filter((target) => target.topic === topic).toSorted((one, other) => rankOf(topic, one) - rankOf(topic, other))
const rankOf = (topic: Topic, { name }: Target): number =>
  name === archiveName(topic) ? 0 : name === changesAt.table ? 2 : 1

/** Removes purges from the targets of a topic, each in its turn; stops at one that is not ready. */
const purgeTopic = (dependencies: PurgerDependencies, topic: Topic, upTo: number) => {
  const own = inOrder(topic, dependencies.targets)
  const isDue = own.some(({ name }) => (dependencies.states.get(name).purges ?? 0) < upTo)
  if (!isDue) return Effect.void
  return dependencies.alone(
    own,
    Effect.gen(function* () {
      for (const target of own) if (!(yield* purgeTarget(dependencies, target, upTo))) return
    }),
  )
}

/** Bytes of the versions of one commit; a single one may exceed it. */
const COMMIT_MAX_BYTES = 4 * 1024 * 1024

/**
 * The versions that views begin with behind what is taken out of them: what they were at the end of each span, whole. The patches that
 * follow are over these. Null while a fold may still learn more of the time before.
 */
const beginsBehind = Effect.fnUntraced(function* ({ history, past }: PurgerDependencies, purge: ItemPurge) {
  const lastMs = Math.max(...purge.shown.map(({ toMs }) => toMs))
  const settledMs = yield* past.settledMs
  if (settledMs === null || settledMs < lastMs) return null
  const records: Array<LogRecord> = []
  for (const span of purge.shown)
    for (const view of yield* viewsShowing(history, purge, span)) {
      const known = yield* past.knownAt(view, span.toMs).pipe(
        // What is damaged is so behind the span, too.
        Effect.catchTag("VersionDamaged", ({ message }) =>
          Effect.as(
            Effect.logError("a view cannot be read behind a purge").pipe(Effect.annotateLogs({ problem: message })),
            null,
          ),
        ),
      )
      if (known === null) continue
      const { body } = known.records
      const whole = body === null ? null : Buffer.from(body).toString()
      records.push(beginOf(purge, `${records.length}`, span.toMs, { view, part: "body", whole }))
    }
  return records
})

const beginOf = (purge: ItemPurge, part: string, atMs: number, version: ViewVersion): LogRecord => {
  const event = makeEvent(viewsChanged, {
    id: `${purge.id}/history/${part}`,
    source: "tidewire/history",
    subject: "purge",
    time: instant(atMs),
    data: { processor: "history", versions: [version] },
  })
  return { topic: VERSIONS_TOPIC, key: "history", value: encodeEvent(event) }
}

const inCommits = (records: ReadonlyArray<LogRecord>): ReadonlyArray<ReadonlyArray<LogRecord>> => {
  const commits: Array<Array<LogRecord>> = []
  let bytes = Number.POSITIVE_INFINITY
  for (const record of records) {
    bytes += recordsBytes([record])
    if (bytes > COMMIT_MAX_BYTES) {
      commits.push([])
      bytes = recordsBytes([record])
    }
    commits.at(-1)?.push(record)
  }
  return commits
}

const CHECK_EVERY_MS = 500
const AGAIN_MS = 5_000

/**
 * Removes from the history, for ever, what operators take out of the past of feeds. After a failure it stays longer, and it is tried
 * again soon; `/history`, `/api/changes` and `?at=` withhold it meanwhile.
 */
export const runPurger = (dependencies: PurgerDependencies): Effect.Effect<never, HistoryStopped> => {
  const { log, states, purges, targets } = dependencies
  const versions = targets.find(({ name }) => name === VERSIONS)
  /** The bodies behind the first purges are in the log up to this offset. */
  let begun: { readonly purges: number; readonly end: Offset } = { purges: 0, end: 0 }

  const purgeVersions = Effect.fnUntraced(function* (target: Target, upTo: number) {
    const done = states.get(target.name).purges ?? 0
    if (done >= upTo && (states.get(archiveName(VERSIONS_TOPIC)).purges ?? 0) >= upTo) return
    for (let next = Math.max(done, begun.purges); next < upTo; next += 1) {
      const purge = purges()[next]
      const records = purge === undefined || purge.shown.length === 0 ? [] : yield* beginsBehind(dependencies, purge)
      if (records === null) break
      for (const together of inCommits(records)) yield* states.commit([], together)
      begun = { purges: next + 1, end: yield* log.end(VERSIONS_TOPIC) }
    }
    const ready = Math.max(done, begun.purges)
    if (states.get(target.name).next >= begun.end) yield* purgeTopic(dependencies, VERSIONS_TOPIC, ready)
  })

  const once: Effect.Effect<void, PurgeFailed> = Effect.gen(function* () {
    const upTo = purges().length
    if (upTo === 0) return
    for (const topic of CONTENT_TOPICS) yield* purgeTopic(dependencies, topic, upTo)
    if (versions !== undefined) yield* purgeVersions(versions, upTo)
  })

  return Effect.gen(function* () {
    while (true) {
      const waitMs = yield* once.pipe(
        Effect.as(CHECK_EVERY_MS),
        Effect.catchTag(
          ["HistoryUnavailable", "HistoryRefused", "HistoryUndecodable", "LogUnavailable", "UnknownTopic"],
          (cause) =>
            Effect.as(
              Effect.logWarning(
                "what an operator has taken out could not be removed from the history; it is tried again",
              ).pipe(Effect.annotateLogs({ problem: cause.message })),
              AGAIN_MS,
            ),
        ),
      )
      yield* Effect.sleep(waitMs)
    }
  })
}
