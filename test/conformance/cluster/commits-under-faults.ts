import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as Schedule from "effect/Schedule"
import * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import { type KafkaOptions, settingsOf } from "../../../infra/log/kafka/client.ts"
import { makeReader } from "../../../infra/log/kafka/reader.ts"
import { openLmdbLog } from "../../../infra/log/lmdb/event-log.ts"
import type { EventLog, FencedWriter, Offset, StoredRecord } from "../../../schemas/ports/event-log.ts"
import { eventually } from "../../support/eventually.ts"
import { scopedDirectory } from "../../support/scoped-directory.ts"
import { readThrough } from "../log/harness.ts"
import { open } from "../log/kafka-quiet.ts"
import type { ClusterUnderTest } from "./cluster-under-test.ts"
import type { ClusterFault } from "./faults.ts"
import {
  BATCH_MAX_BYTES,
  COMMIT_TOPICS,
  type CommitTopic,
  commitOfKey,
  ReadDigest,
  recordsOfCommit,
  windowOf,
} from "./numbered-commits.ts"

/** The size of a run. */
export interface CommitRun {
  /** At least so many commits of all writers together; they go on until every fault was applied. */
  readonly commits: number
  readonly writers: ReadonlyArray<string>
  readonly faults: ReadonlyArray<ClusterFault>
  readonly pauseMs: number
  /** Called after each fault, for information only. */
  readonly report: (line: string) => void
}

/** What stands in the log and should not, or is not there and should be. */
interface Offences {
  /** Records that stand in the log once more. */
  readonly repeated: number
  /** Records of acknowledged commits that do not stand there. */
  readonly lost: number
  /** Commits of which some records stand there, and others do not. */
  readonly torn: number
  /** Records that stand there and were in no commit that succeeded. */
  readonly unexpected: number
  /** Records at another offset than the one that was acknowledged. */
  readonly misplaced: number
}

/** The digests of a topic, for each writer, as one kind of reader sees it. */
type Digests = Readonly<Record<string, string>>

export interface RunResult {
  readonly commits: number
  readonly records: number
  /** Failed commits: after each the name was claimed again. */
  readonly failures: number
  readonly offences: Offences
  /** By readers: of a log without fault, of this one read afresh, and of one that followed it during the faults. */
  readonly digests: { readonly faultless: Digests; readonly read: Digests; readonly followed: Digests }
}

/** The commits of one writer in the order in which they succeeded. */
interface WrittenCommits {
  readonly writer: string
  readonly order: Array<number>
  /** The acknowledged offsets of each commit; a commit that was found in the log after a failure has none. */
  readonly offsets: Map<number, ReadonlyArray<Offset>>
  failures: number
}

const FETCH_WAIT_MS = 100
const CLAIM_PAUSE = Schedule.spaced("500 millis")

/** Finds which of these commits stand in the log, in topics after the offsets that the writer knows of. */
const findWritten = (
  log: EventLog,
  held: FencedWriter,
  writer: string,
  wanted: ReadonlySet<number>,
  after: ReadonlyMap<CommitTopic, Offset>,
) =>
  Effect.gen(function* () {
    const found = new Set<number>()
    for (const topic of COMMIT_TOPICS)
      for (const { key } of yield* readThrough(log, topic, (after.get(topic) ?? -1) + 1, held.ends[topic] ?? 0)) {
        const commit = commitOfKey(key)
        if (commit.writer === writer && wanted.has(commit.n)) found.add(commit.n)
      }
    return found
  })

/**
 * Writes commits in their order, several at once, until `isDone`. After a failure the name is claimed again, and what the log
 * then does not hold of the commits without an answer is written again.
 */
const writeCommits = (log: EventLog, done: WrittenCommits, isDone: (written: number) => boolean) =>
  Effect.gen(function* () {
    const { writer, order, offsets } = done
    const after = new Map<CommitTopic, Offset>()
    const claim = Effect.gen(function* () {
      const scope = yield* Scope.make()
      const held = yield* log.claim(writer, COMMIT_TOPICS).pipe(Scope.provide(scope))
      return { held, scope }
    }).pipe(Effect.retry(CLAIM_PAUSE))
    let claimed = yield* claim
    for (let next = 0; !isDone(next); ) {
      let pending = Array.from({ length: windowOf(writer, next) }, (_, index) => next + index)
      next += pending.length
      while (pending.length > 0) {
        const { held } = claimed
        const exits = yield* Effect.forEach(pending, (n) => Effect.exit(held.commit(recordsOfCommit(writer, n))), {
          concurrency: "unbounded",
        })
        const failed: Array<number> = []
        for (const [index, exit] of exits.entries()) {
          const n = pending[index] ?? -1
          if (Exit.isFailure(exit)) {
            failed.push(n)
            continue
          }
          order.push(n)
          offsets.set(n, exit.value.offsets)
          for (const [place, { topic }] of recordsOfCommit(writer, n).entries())
            after.set(topic, exit.value.offsets[place] ?? -1)
        }
        pending = failed
        if (failed.length === 0) break
        done.failures += failed.length
        yield* Scope.close(claimed.scope, Exit.void)
        claimed = yield* claim
        const found = yield* findWritten(log, claimed.held, writer, new Set(failed), after).pipe(
          Effect.retry(CLAIM_PAUSE),
        )
        order.push(...failed.filter((n) => found.has(n)))
        pending = failed.filter((n) => !found.has(n))
      }
    }
    yield* Scope.close(claimed.scope, Exit.void)
  })

const digestName = (topic: CommitTopic, writer: string): string => `${topic} of ${writer}`

/** Adds records of a topic to the digests of their writers. */
const addTo = (digests: Map<string, ReadDigest>, topic: CommitTopic, records: ReadonlyArray<StoredRecord>): void => {
  for (const one of records) {
    const name = digestName(topic, commitOfKey(one.key).writer)
    const digest = digests.get(name) ?? new ReadDigest()
    digests.set(name, digest)
    digest.add(one)
  }
}

const textsOf = (digests: ReadonlyMap<string, ReadDigest>): Digests =>
  Object.fromEntries([...digests].map(([name, digest]) => [name, digest.text()]).sort())

const countOf = (digests: ReadonlyMap<string, ReadDigest>): number =>
  [...digests.values()].reduce((sum, { count }) => sum + count, 0)

/** The digests of the topics, read up to their ends. */
const readDigests = (log: EventLog) =>
  Effect.gen(function* () {
    const digests = new Map<string, ReadDigest>()
    for (const topic of COMMIT_TOPICS)
      yield* log
        .read(topic, 0)
        .pipe(Stream.runForEach(({ records }) => Effect.sync(() => addTo(digests, topic, records))))
    return digests
  })

/** The digests of a log without fault that holds the same commits in the same order. */
const faultlessDigests = (written: ReadonlyArray<WrittenCommits>) =>
  Effect.gen(function* () {
    const log = yield* openLmdbLog({ path: yield* scopedDirectory })
    for (const { writer, order } of written) {
      const held = yield* log.claim(writer, COMMIT_TOPICS)
      for (let from = 0; from < order.length; from += 200)
        yield* Effect.forEach(order.slice(from, from + 200), (n) => held.commit(recordsOfCommit(writer, n)), {
          concurrency: "unbounded",
          discard: true,
        })
    }
    return yield* readDigests(log)
  })

/**
 * Reads a topic as it stands on the brokers, by fetch requests alone: what readers of the log leave out is counted too. The
 * consumer of kafkajs does not serve here: it gives records of aborted transactions where several overlap.
 */
const readBare = async (
  options: KafkaOptions,
  topic: string,
  visit: (key: string, offset: Offset) => void,
): Promise<void> => {
  const reader = makeReader(await Effect.runPromise(settingsOf(options)))
  try {
    const { end } = await reader.bounds(topic)
    for (let position = 0; position < end; ) {
      const { records, next } = await reader.fetch(topic, position, FETCH_WAIT_MS)
      for (const { key, offset } of records) visit(key, offset)
      position = next
    }
  } finally {
    reader.close()
  }
}

/** Compares what stands on the brokers with what the writers were answered. */
const countOffences = async (
  options: KafkaOptions & { readonly topicPrefix: string },
  written: ReadonlyArray<WrittenCommits>,
): Promise<Offences> => {
  const byWriter = new Map(written.map((one) => [one.writer, { ...one, done: new Set(one.order) }]))
  let [repeated, lost, torn, unexpected, misplaced] = [0, 0, 0, 0, 0]
  const seen = new Map<CommitTopic, Map<string, Offset>>()
  for (const topic of COMMIT_TOPICS) {
    const keys = new Map<string, Offset>()
    seen.set(topic, keys)
    await readBare(options, `${options.topicPrefix}${topic}`, (key, offset) => {
      const { writer, n } = commitOfKey(key)
      // The fences of claims have keys of their own.
      if (!byWriter.has(writer)) return
      if (keys.has(key)) repeated += 1
      else if (byWriter.get(writer)?.done.has(n) !== true) unexpected += 1
      if (!keys.has(key)) keys.set(key, offset)
    })
  }
  for (const { writer, order, offsets } of written)
    for (const n of order) {
      const records = recordsOfCommit(writer, n)
      const absent = records.filter(({ topic, key }) => seen.get(topic)?.has(key) !== true).length
      lost += absent
      if (absent > 0 && absent < records.length) torn += 1
      for (const [index, offset] of (offsets.get(n) ?? []).entries()) {
        const one = records[index]
        if (one !== undefined && seen.get(one.topic)?.get(one.key) !== offset) misplaced += 1
      }
    }
  return { repeated, lost, torn, unexpected, misplaced }
}

/** Applies the faults one after the other, and again, while writers and followers work; then compares what is left. */
export const commitsUnderFaults = (
  under: ClusterUnderTest,
  run: CommitRun,
): Effect.Effect<RunResult, unknown, Scope.Scope> =>
  Effect.gen(function* () {
    const cluster = under.cluster()
    const options = yield* Effect.promise(() =>
      under.makeLog({
        // Nothing is compacted in this time, so that everything that was written is counted.
        topicSettings: { "max.message.bytes": `${BATCH_MAX_BYTES}`, "min.compaction.lag.ms": "86400000" },
      }),
    )
    const written = run.writers.map(
      (writer): WrittenCommits => ({ writer, order: [], offsets: new Map(), failures: 0 }),
    )
    const commitCount = () => written.reduce((sum, { order }) => sum + order.length, 0)
    const each = Math.ceil(run.commits / run.writers.length)
    let faultsApplied = 0
    const isDone = (count: number) => count >= each && faultsApplied >= run.faults.length

    const followed = new Map<string, ReadDigest>()
    const readerLog = yield* open(options)
    yield* Effect.forEach(
      COMMIT_TOPICS,
      (topic) =>
        readerLog.follow(topic, 0).pipe(
          Stream.runForEach(({ records }) => Effect.sync(() => addTo(followed, topic, records))),
          Effect.forkScoped,
        ),
      { discard: true },
    )
    const writers = yield* Effect.forEach(written, (one) =>
      Effect.forkScoped(Effect.flatMap(open(options), (log) => writeCommits(log, one, isDone))),
    )
    const working = Effect.all(
      writers.map((fiber) => Fiber.join(fiber)),
      { discard: true },
    )
    const progress = async () => {
      const before = written.map(({ order }) => order.length)
      await eventually("every writer goes on", () =>
        written.every(({ order }, index) => order.length > (before[index] ?? 0) || isDone(order.length)),
      )
    }
    const applyFaults = Effect.gen(function* () {
      while (!written.every(({ order }) => isDone(order.length))) {
        const fault = run.faults[faultsApplied % run.faults.length]
        if (fault === undefined) return
        const begun = performance.now()
        yield* Effect.promise(async () => {
          await progress()
          await fault.apply({ cluster, prefix: options.topicPrefix, progress, pauseMs: run.pauseMs })
          await cluster.heal()
          await cluster.electPreferred()
        })
        faultsApplied += 1
        run.report(
          `${fault.name}: ${Math.round((performance.now() - begun) / 1000)} s; ${commitCount()} commits so far`,
        )
      }
    })
    yield* Effect.all([working, applyFaults], { concurrency: "unbounded", discard: true })

    const faultless = yield* faultlessDigests(written)
    const records = countOf(faultless)
    yield* Effect.promise(() => eventually("the followers are at the end", () => countOf(followed) >= records))
    return {
      commits: commitCount(),
      records,
      failures: written.reduce((sum, { failures }) => sum + failures, 0),
      offences: yield* Effect.promise(() => countOffences(options, written)),
      digests: {
        faultless: textsOf(faultless),
        read: textsOf(yield* readDigests(readerLog)),
        followed: textsOf(followed),
      },
    }
  })
