import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import type * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import { makeRedaction } from "../../processors/purges/item-purge.ts"
import { readPurges } from "../../processors/purges/purge-list.ts"
import { loadProcessors } from "../../processors/registry.ts"
import { foldEach } from "../../processors/run/runner.ts"
import {
  type DataOf,
  type Envelope,
  encodeEvent,
  instant,
  type MalformedEvent,
  type NewerEvent,
} from "../../schemas/event.ts"
import {
  clockTicked,
  feedObserved,
  feedPatched,
  feedsDeclared,
  viewDemanded,
} from "../../schemas/events/observations.ts"
import { type Feed, instanceKey, parseInstanceKey } from "../../schemas/feed.ts"
import type { EventLog, LogRecord, StoredRecord } from "../../schemas/ports/event-log.ts"
import { eventReader, feeds as everyFeed } from "../../schemas/registry.ts"
import type { Topic } from "../../schemas/topics.ts"
import type { Settings } from "../config/settings.ts"
import { openLmdbLog } from "../log/lmdb/event-log.ts"
import { openLogToRead } from "../log/open.ts"
import { exportLog } from "../log/transfer/export.ts"
import { writeLines } from "../log/transfer/export-file.ts"
import { messageOf } from "../system/error.ts"
import { openProgress } from "../telemetry/progress.ts"
import { DONE } from "./arguments.ts"
import type { Command } from "./command.ts"
import { logSource } from "./replay/source.ts"

/** What of a log a cut has. */
export interface Cut {
  readonly feeds: ReadonlyArray<Feed>
  /** In milliseconds since the epoch: from the one on and before the other. */
  readonly fromMs: number
  readonly toMs: number
  /** Whether everything about callers and money is left out. */
  readonly isRedacted: boolean
}

const WRITER = "cut"
const TOPIC = "observations"
/** Bounds of one commit of the scratch log. */
const COMMIT_RECORDS_MAX = 1_000
const COMMIT_MAX_BYTES = 4 * 1024 * 1024

/** The cut would hold nothing of the feeds. */
class NothingToCut extends Schema.TaggedError<NothingToCut>()("NothingToCut", { problem: Schema.String }) {
  override get message() {
    return `no file was written: ${this.problem}`
  }
}

/** The folder in which the cut is folded cannot be made. */
class NoScratchFolder extends Schema.TaggedError<NoScratchFolder>()("NoScratchFolder", { problem: Schema.String }) {
  override get message() {
    return `no file was written: a folder for the fold cannot be made: ${this.problem}`
  }
}

/** The payloads of one instance before the cut: the last whole one and what follows it, and the last poll. */
interface LeadIn {
  payloads: Array<StoredRecord>
  last: StoredRecord | null
}

/** What was chosen of a log, and what was seen of it. */
interface Selection {
  /** The records that an event gives; those of before the cut come with the first one in it. */
  readonly take: (record: StoredRecord) => Result.Result<ReadonlyArray<StoredRecord>, NewerEvent | MalformedEvent>
  readonly isOver: () => boolean
  /** How many polls lie within the cut, by feed. */
  readonly polls: ReadonlyMap<string, number>
  /** The times of the first event that was seen, and of the last one before the end; null where there was none. */
  readonly times: () => { readonly firstMs: number; readonly lastMs: number } | null
}

/**
 * Selects the events of a cut, in the order of the log: those of its feeds, the clock, and of what was before it the last payload of each
 * instance, on which patches build. Instances that a request alone has brought show what others ask for: they are left out with
 * everything about callers.
 */
export const makeSelection = (
  { feeds, fromMs, toMs, isRedacted }: Cut,
  redact: (event: Envelope<string, unknown>) => Envelope<string, unknown>,
): Selection => {
  const names = new Set(feeds.map(({ name }) => name))
  const scheduled = new Set(
    feeds.flatMap(({ name, instances }) => instances.map((parameters) => instanceKey(name, parameters))),
  )
  const before = new Map<string, LeadIn>()
  let declared: StoredRecord | null = null
  const polls = new Map(feeds.map(({ name }) => [name, 0]))
  let [firstMs, lastMs]: [number | null, number] = [null, Number.NEGATIVE_INFINITY]
  let [isBegun, isOver] = [false, false]

  /** The declaration of the feeds of the cut alone: the others would count as polled and without an answer. */
  const declaredOf = (record: StoredRecord, event: Envelope<string, unknown>): StoredRecord => {
    const { feeds: all } = event.data as DataOf<typeof feedsDeclared>
    const own = all.filter(({ feed, parameters }) => isChosen(feed, parameters))
    return { ...record, value: encodeEvent({ ...event, data: { feeds: own } }) }
  }
  const isChosen = (feed: string, parameters: Readonly<Record<string, string>>): boolean =>
    names.has(feed) && (!isRedacted || scheduled.has(instanceKey(feed, parameters)))

  const leadIn = (record: StoredRecord, event: Envelope<string, unknown>, key: string) => {
    const known = before.get(key) ?? { payloads: [], last: null }
    if (event.type === feedObserved.type) known.payloads = [record]
    else if (event.type === feedPatched.type && known.payloads.length > 0) known.payloads.push(record)
    known.last = record
    before.set(key, known)
  }
  /** What the folds stand on when the cut begins. */
  const stoodOn = (): ReadonlyArray<StoredRecord> => {
    const records = [...before.values()].flatMap(({ payloads, last }) =>
      last === null || payloads.includes(last) ? payloads : [...payloads, last],
    )
    before.clear()
    return [...(declared === null ? [] : [declared]), ...records].toSorted((one, other) => one.offset - other.offset)
  }

  return {
    isOver: () => isOver,
    polls,
    times: () => (firstMs === null ? null : { firstMs, lastMs: Math.max(firstMs, lastMs) }),
    take: (record) => {
      if (isOver || record.value === null) return Result.succeed([])
      const read = eventReader.readEvent(record.value)
      if (Result.isFailure(read)) return Result.fail(read.failure)
      const event = redact(read.success)
      const timeMs = Date.parse(event.time)
      firstMs ??= timeMs
      // Event time is that of folds, the maximum of the times seen.
      if (Math.max(lastMs, timeMs) >= toMs) {
        isOver = true
        return Result.succeed([])
      }
      lastMs = Math.max(lastMs, timeMs)
      const isWithin = lastMs >= fromMs
      const begin = isWithin && !isBegun ? stoodOn() : []
      isBegun ||= isWithin
      const chosen = chosenOf(event)
      if (chosen === null) return Result.succeed(begin)
      const own = event.type === feedsDeclared.type ? declaredOf(record, event) : record
      if (isWithin) {
        const { name } = parseInstanceKey(chosen)
        if (chosen !== "") polls.set(name, (polls.get(name) ?? 0) + 1)
        return Result.succeed([...begin, own])
      }
      if (event.type === feedsDeclared.type) declared = own
      else if (chosen !== "") leadIn(own, event, chosen)
      return Result.succeed(begin)
    },
  }

  /** The instance of a poll that is chosen, "" for an event that is chosen without one; null for any other. */
  function chosenOf(event: Envelope<string, unknown>): string | null {
    if (event.type === clockTicked.type || event.type === feedsDeclared.type) return ""
    if (event.type === viewDemanded.type) return isRedacted ? null : ""
    const { feed, parameters } = event.data as {
      readonly feed?: string
      readonly parameters?: Readonly<Record<string, string>>
    }
    // What was taken out leaves a gap, which the next whole payload ends.
    if (feed === undefined || parameters === undefined || !isChosen(feed, parameters)) return null
    return instanceKey(feed, parameters)
  }
}

const scratchLog: Effect.Effect<EventLog, { readonly message: string }, Scope.Scope> = Effect.gen(function* () {
  const directory = yield* Effect.acquireRelease(
    Effect.try({
      try: () => mkdtempSync(join(tmpdir(), "tidewire-cut-")),
      catch: (cause) => new NoScratchFolder({ problem: messageOf(cause) }),
    }),
    (path) => Effect.sync(() => rmSync(path, { recursive: true, force: true })),
  )
  return yield* openLmdbLog({ path: join(directory, "log") })
})

/** Makes the function that writes records to a log, many in a commit. */
const makeAppending = Effect.fnUntraced(function* (into: EventLog, topics: ReadonlyArray<Topic>) {
  const writer = yield* into.claim(WRITER, topics)
  let waiting: Array<LogRecord> = []
  let bytes = 0
  const flush = Effect.suspend(() => {
    const records = waiting
    waiting = []
    bytes = 0
    return records.length === 0 ? Effect.void : writer.commit(records)
  })
  const add = (topic: Topic, { key, value }: Pick<StoredRecord, "key" | "value">) =>
    Effect.suspend(() => {
      waiting.push({ topic, key, value })
      bytes += value?.length ?? 0
      return waiting.length >= COMMIT_RECORDS_MAX || bytes >= COMMIT_MAX_BYTES ? flush : Effect.void
    })
  return { add, flush }
})

/** The topics of callers and money that a cut has which is not redacted: the chain of the ledger is whole or none. */
const CALLERS_TOPICS = ["ledger", "usage"] as const satisfies ReadonlyArray<Topic>

const timeIn = ({ value }: StoredRecord): number => {
  const read = value === null ? null : eventReader.readEvent(value)
  return read !== null && Result.isSuccess(read) ? Date.parse(read.success.time) : Number.NaN
}

/** Reads the purges of the log of the settings. */
const purgesOf = (settings: Settings) => Effect.scoped(Effect.flatMap(openLogToRead(settings, ["purges"]), readPurges))

/**
 * Writes a small backup of some feeds in an interval: their events, folded event by event into a log of its own, whose changes and
 * cursors are its own. It is restored as any other backup.
 */
export const writeCut =
  (file: string, cut: Cut): Command =>
  (settings) =>
    Effect.gen(function* () {
      const { fromMs, toMs, isRedacted } = cut
      const progress = yield* openProgress()
      const selection = makeSelection(cut, makeRedaction(yield* purgesOf(settings), everyFeed))
      const into = yield* scratchLog
      const topics: ReadonlyArray<Topic> = isRedacted ? [TOPIC] : [TOPIC, ...CALLERS_TOPICS]
      const { add, flush } = yield* makeAppending(into, topics)
      const source = yield* logSource(settings, topics, progress)
      yield* Stream.runForEach(
        source.read((topic) => topic === TOPIC && selection.isOver()),
        ({ topic, records }) =>
          Effect.forEach(
            records,
            Effect.fnUntraced(function* (record) {
              if (topic === TOPIC) {
                for (const one of yield* Effect.fromResult(selection.take(record))) yield* add(topic, one)
                return
              }
              const timeMs = timeIn(record)
              if (topic === "ledger" || (fromMs <= timeMs && timeMs < toMs)) yield* add(topic, record)
            }),
            { discard: true },
          ),
      )
      yield* flush
      const times = selection.times()
      const { polls } = selection
      if ([...polls.values()].every((count) => count === 0))
        return yield* new NothingToCut({
          problem:
            times === null
              ? "the log holds no event"
              : `no poll of these feeds lies in the interval; what was read of the log goes from ${instant(times.firstMs)} to ${instant(times.lastMs)}`,
        })
      for (const processor of (yield* Effect.promise(loadProcessors)).filter(({ topic }) => topic === TOPIC))
        yield* Effect.scoped(foldEach({ log: into, processor }))
      let records = 0
      yield* writeLines(
        file,
        exportLog(into, {
          archived: () => Stream.empty,
          finished: (count) => {
            records = count
          },
        }),
      )
      const left = isRedacted
        ? "ledger, accounts, receipts, usage, kept replies and what requests alone have brought are not in it"
        : "the whole ledger and the usage of the interval are in it: protect it like the log itself"
      process.stderr.write(
        `${[
          `${records} records saved, from ${instant(fromMs)} to ${instant(toMs)}: polls of ${[...polls].map(([name, count]) => `${name} (${count})`).join(", ")}`,
          ...(times !== null && times.firstMs > fromMs
            ? [`the log begins at ${instant(times.firstMs)}, after --from`]
            : []),
          ...(selection.isOver() ? [] : [`the log ends at ${instant(times?.lastMs ?? fromMs)}, before --to`]),
          `${left}; secrets are in no backup`,
          "it is another log: cursors of this one are refused there (other_log)",
        ].join("\n")}\n`,
      )
      return DONE
    })
