import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import * as Stream from "effect/Stream"
import type { EventLog, Offset, StoredRecord } from "../../schemas/ports/event-log.ts"
import type { History } from "../../schemas/ports/history.ts"
import { type KeptDays, type Topic, topicNames, topicPolicy } from "../../schemas/topics.ts"
import { lastInTopic } from "../run/last-in-topic.ts"
import { ARCHIVE, archivePartitions, archiveRow } from "../tables/events/table.ts"
import { isHeld } from "./cut.ts"
import { eventTimeOf } from "./event-time.ts"
import { metrics } from "./metrics.ts"

/** A record of the log that may be trimmed. */
export interface TrimCandidate {
  readonly offset: Offset
  /** Time of its event; null if it has none. */
  readonly timeMs: number | null
  readonly eventId: string
  /** The partition of the archive that it belongs to. */
  readonly partition: string
}

/** The facts that decide how far a topic can be trimmed. */
export interface TrimFacts {
  readonly start: Offset
  /** The first records of the topic, in order, and the offset after the last of them. */
  readonly candidates: ReadonlyArray<TrimCandidate>
  readonly next: Offset
  /** The retention of events up to this time is over. */
  readonly cutMs: number
  /** The archive's event ids by offset; null if age alone decides. */
  readonly archived: ReadonlyMap<Offset, string> | null
  /** The partition below which the archive is cut: it has held what is older, or will never take it. */
  readonly archiveCut?: string | undefined
  /** Records at or above this offset must stay. */
  readonly floor: Offset
}

/** Finds the offset below which every record is old enough, archived, and not needed by another reader. */
export const trimTo = (facts: TrimFacts): Offset => {
  const stays = facts.candidates.find(
    ({ offset, timeMs, eventId, partition }) =>
      offset >= facts.floor ||
      // A record without a time counts as old as its neighbours.
      (timeMs !== null && timeMs >= facts.cutMs) ||
      (facts.archived !== null && isHeld(facts.archiveCut, partition) && facts.archived.get(offset) !== eventId),
  )
  return Math.max(facts.start, Math.min(stays?.offset ?? facts.next, facts.floor))
}

/** For each topic, the offset from which a reader other than the archive needs the log; absent if there is none. */
export type TrimFloors = Effect.Effect<Readonly<Partial<Record<Topic, Offset>>>>

const DAY_MS = 86_400_000
const EVERY_MS = 10 * 60_000
const CHUNK_RECORDS_MAX = 20_000
const CHUNKS_MAX = 500

const Archived = Schema.Struct({ log_offset: Schema.Natural, event_id: Schema.String })
const Newest = Schema.Struct({ time: Schema.String })

const candidateOf = (topic: Topic, record: StoredRecord): TrimCandidate => {
  const row = archiveRow(topic, record)
  return {
    offset: record.offset,
    timeMs: row.type === "" ? null : Date.parse(row.time),
    eventId: row.event_id,
    partition: archivePartitions.of(row),
  }
}

/** The newest event time of a topic: in the archive, or without one in the log; null if there is no event. */
const newestTime = (log: EventLog, history: History | null, topic: Topic) =>
  history === null
    ? lastInTopic(log, topic, eventTimeOf)
    : history
        .query(`SELECT max(time) AS time FROM ${ARCHIVE} WHERE topic = {topic:String} HAVING count() > 0`, Newest, {
          topic,
        })
        .pipe(Effect.map((rows) => (rows[0] === undefined ? null : Date.parse(rows[0].time))))

/**
 * Trims once every topic that is not kept for ever. Of `archived` topics only records that the archive verifiably holds (the
 * same event at the same offset) and whose retention is over, of `aged` topics, and without a history of both, those whose
 * retention is over. Time is event time.
 */
export const trimOnce = Effect.fn("trimOnce")(function* (options: {
  readonly log: EventLog
  /** Null where none is kept: then age alone decides. */
  readonly history: History | null
  readonly floors?: TrimFloors | undefined
  readonly keptDays?: KeptDays | undefined
  /** The partition below which the archive of a topic is cut; undefined where it is whole. */
  readonly archiveCutOf?: ((topic: Topic) => string | undefined) | undefined
}) {
  const { log, history } = options
  const floors = yield* options.floors ?? Effect.succeed<Partial<Record<Topic, Offset>>>({})
  const nowMs = yield* newestTime(log, history, "observations")
  if (nowMs === null) return
  for (const topic of topicNames) {
    const policy = topicPolicy(topic, options.keptDays)
    if (policy.kept !== "archived" && policy.kept !== "aged") continue
    for (let chunk = 0; chunk < CHUNKS_MAX; chunk += 1) {
      const start = yield* log.start(topic)
      const candidates: Array<TrimCandidate> = []
      let next = start
      const cutMs = nowMs - policy.keptDays * DAY_MS
      const isTimed = ({ timeMs }: TrimCandidate) => timeMs !== null
      // Usually no record is old enough: then no more are read, and the archive is not queried.
      const isYoung = () => (candidates.find(isTimed)?.timeMs ?? Number.NEGATIVE_INFINITY) >= cutMs
      yield* log.read(topic, start).pipe(
        Stream.takeUntil(() => candidates.length >= CHUNK_RECORDS_MAX || isYoung()),
        Stream.runForEach((batch) =>
          Effect.sync(() => {
            for (const record of batch.records) candidates.push(candidateOf(topic, record))
            next = batch.next
          }),
        ),
      )
      if (!candidates.some(isTimed) || isYoung()) break
      const archived =
        history === null || policy.kept === "aged"
          ? null
          : new Map(
              (yield* history.query(
                `SELECT DISTINCT log_offset, event_id FROM ${ARCHIVE}
                 WHERE topic = {topic:String} AND log_offset >= {from:UInt64} AND log_offset < {to:UInt64}`,
                Archived,
                { topic, from: start, to: next },
              )).map((row) => [row.log_offset, row.event_id]),
            )
      const floor = floors[topic] ?? Number.POSITIVE_INFINITY
      const before = trimTo({
        ...{ start, candidates, next, cutMs, archived, floor },
        archiveCut: options.archiveCutOf?.(topic),
      })
      if (before <= start) break
      yield* log.trim(topic, before)
      const dropped = candidates.filter(({ offset }) => offset < before).length
      metrics.trimmed.inc({ topic }, dropped)
      yield* Effect.logInfo("log trimmed").pipe(Effect.annotateLogs({ topic, before, dropped }))
      if (before < next) break
    }
  }
})

/** Trims every ten minutes, for ever. After a failure the log stays longer, and the next round tries again. */
export const runTrimmer = (options: Parameters<typeof trimOnce>[0]): Effect.Effect<never> =>
  Effect.gen(function* () {
    while (true) {
      yield* Effect.sleep(EVERY_MS)
      yield* trimOnce(options).pipe(
        Effect.catch((cause) =>
          Effect.logWarning("the log could not be trimmed; the next round tries again").pipe(
            Effect.annotateLogs({ problem: cause.message }),
          ),
        ),
      )
    }
  })
