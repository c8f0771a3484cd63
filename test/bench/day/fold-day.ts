import * as Result from "effect/Result"
import correlations from "../../../processors/folds/correlations.ts"
import { makeLatest } from "../../../processors/folds/latest.ts"
import { makeReliability } from "../../../processors/folds/reliability.ts"
import worldDeltas from "../../../processors/folds/world-deltas.ts"
import { versionsRecord } from "../../../processors/past/versions.ts"
import type { Processor } from "../../../processors/processor.ts"
import { views } from "../../../processors/registry.ts"
import { firstPosition } from "../../../processors/run/checkpoint.ts"
import { makeFolding } from "../../../processors/run/folding.ts"
import { makeValueStore } from "../../../processors/run/stored-values.ts"
import type { LogRecord } from "../../../schemas/ports/event-log.ts"
import { eventReader, feeds } from "../../../schemas/registry.ts"
import type { Topic } from "../../../schemas/topics.ts"
import { modelledFeeds, modelledViews } from "./feeds.ts"
import { dayCommits } from "./polls.ts"

export const HOURS_A_DAY = 24
/** Before the first change of a log, whose name is as long as any. */
const FIRST_CHANGE = { log: "dayofall", ordinal: 0 }
const allFeeds = new Map([...feeds, ...modelledFeeds])

/** The folds of the product over all feeds of the day. */
export const dayProcessors: ReadonlyArray<Processor> = [
  makeLatest([...views, ...modelledViews], allFeeds),
  makeReliability(allFeeds),
  worldDeltas,
  correlations,
]

/** A part of the day, and how it is stored. */
export interface DayOptions {
  readonly hours: number
  /** As it was before: lists logged whole, values written whole. */
  readonly whole: boolean
  /** Is given every record of `observations`, in order. */
  readonly observed?: (record: LogRecord) => Promise<void> | void
  /** Is given every record that is written, with its size. */
  readonly written?: (record: LogRecord, sizeBytes: number) => void
}

/** What a day comes to. */
export interface DayFigures {
  readonly events: number
  readonly commits: number
  /** Processor time of folding, and of making the records of each commit. */
  readonly foldMs: number
  /** Bytes written to each topic, keys and values, before compression. */
  readonly bytes: ReadonlyMap<Topic, number>
}

/**
 * Polls, settles and folds a part of a day, as the roles do while they keep up: each event is one commit of the ingest
 * role and one of each processor. What comes once a day, the first polls, counts once; the rest is scaled to the day.
 */
export const foldDay = async ({ hours, whole, observed, written }: DayOptions): Promise<DayFigures> => {
  const scale = HOURS_A_DAY / hours
  const bytes = new Map<Topic, number>()
  let [events, commits, foldMs, offset] = [0, 0, 0, 0]
  const count = (records: ReadonlyArray<LogRecord>, factor: number): void => {
    commits += factor
    for (const record of records) {
      const sizeBytes = Buffer.byteLength(record.key) + (record.value?.length ?? 0)
      bytes.set(record.topic, (bytes.get(record.topic) ?? 0) + sizeBytes * factor)
      written?.(record, sizeBytes * factor)
    }
  }
  const folds = dayProcessors.map((one) => ({
    name: one.name,
    folding: makeFolding(one, eventReader, {
      position: { ...firstPosition(one.topic, 1, 0), lastChange: one.numbersChanges ? FIRST_CHANGE : null },
      state: new Map(),
    }),
    store: makeValueStore({}, whole),
  }))
  for await (const { records, isFirst } of dayCommits(hours, whole)) {
    const factor = isFirst ? 1 : scale
    count(records, factor)
    for (const record of records) {
      if (record.topic !== "observations") continue
      await observed?.(record)
      const begun = process.cpuUsage()
      for (const { name, folding, store } of folds) {
        const changesFrom = folding.position().lastChange?.ordinal ?? 0
        const folded = folding.fold({ offset, key: record.key, value: record.value })
        if (Result.isFailure(folded)) throw folded.failure
        if (folded.success.problems.length > 0) throw new Error(JSON.stringify(folded.success.problems))
        if (!folding.hasChanges()) continue
        const taken = folding.take()
        const stored = taken.values.flatMap(store.recordsOf)
        // Marks of settled time, one a minute, are left out: some 200 bytes each.
        const versions = versionsRecord(
          stored,
          { processor: name, position: taken.position, changesFrom, settles: false },
          () => true,
        )
        count([...stored, ...(versions === null ? [] : [versions]), ...taken.records], factor)
      }
      const { user, system } = process.cpuUsage(begun)
      foldMs += ((user + system) / 1000) * factor
      events += factor
      offset += 1
    }
  }
  return { events, commits, foldMs, bytes }
}
