import { randomUUID } from "node:crypto"
import { setTimeout as sleep } from "node:timers/promises"
import { Counter } from "prom-client"
import {
  type CommitFailed,
  type CommitResult,
  Fenced,
  type LogRecord,
  LogUnavailable,
  type Offset,
  OutcomeUnknown,
} from "../../../schemas/ports/event-log.ts"
import type { Topic } from "../../../schemas/topics.ts"
import { beforeDeadline, isEpochRefused, isTooLarge, isUnauthorized, sentenceOf } from "./brokers.ts"
import type { KafkaSettings } from "./client.ts"
import {
  Bases,
  type GroupQueue,
  type Layout,
  layOut,
  layOutProof,
  makeGroupQueue,
  recordBytes,
  refusalOf,
  tooLarge,
  type Waiting,
} from "./group.ts"
import type { Acknowledged } from "./read.ts"
import type { Scanner } from "./reader.ts"
import { FENCE_TOPIC, type FetchedRecord, fenceMessage, isLaterClaim } from "./records.ts"
import { openSession, type Session } from "./session.ts"
import type { TopicLimits } from "./topics.ts"

/** The largest commit over all its topics: it must end well within the timeout of a transaction. */
const COMMIT_MAX_BYTES = 64 * 1024 * 1024

/** Why records cannot be committed, if so; checked before they are sent. */
const unacceptable = (
  records: ReadonlyArray<LogRecord>,
  limitsByTopic: ReadonlyMap<Topic, TopicLimits>,
): CommitFailed | undefined => {
  let bytes = 0
  for (const record of records) {
    const refusal = refusalOf(record, limitsByTopic)
    if (refusal !== undefined) return refusal
    bytes += recordBytes(record)
    if (bytes > COMMIT_MAX_BYTES) return tooLarge(record, bytes, COMMIT_MAX_BYTES)
  }
  return undefined
}

/** Maps the error of a write that wrote nothing to the port's error. */
const writeFailure = (
  records: ReadonlyArray<LogRecord>,
  error: unknown,
  limitsByTopic: ReadonlyMap<Topic, TopicLimits>,
): CommitFailed => {
  const largest = records.reduce<LogRecord | undefined>(
    (candidate, record) =>
      candidate === undefined || recordBytes(record) > recordBytes(candidate) ? record : candidate,
    undefined,
  )
  if (isTooLarge(error) && largest !== undefined) {
    const size = recordBytes(largest)
    return tooLarge(largest, size, Math.min(size, limitsByTopic.get(largest.topic)?.recordBytesMax ?? size))
  }
  return new LogUnavailable({ problem: sentenceOf(error), cause: error })
}

const COMMITS_WAITING_MAX = 20_000
const RETRY_FIRST_MS = 50
const RETRY_MAX_MS = 1_000
/** Wait after a refused epoch: another process that has just taken the name needs the time to write its fence. */
const CLAIM_GRACE_MS = 500
const CLOSE_WAIT_MS = 5_000

const commits = new Counter({
  name: "tidewire_log_kafka_commits_total",
  help: "Commits that the brokers acknowledged, by writer",
  labelNames: ["writer"],
})
const recoveries = new Counter({
  name: "tidewire_log_kafka_recoveries_total",
  help: "Times that a writer had to replace its producer and to read the outcome of its last commit, by writer",
  labelNames: ["writer"],
})

/** The parts of an open log that its writers share. */
export interface WriterHost {
  readonly settings: KafkaSettings
  readonly limits: ReadonlyMap<Topic, TopicLimits>
  readonly acknowledged: Acknowledged
  readonly scanner: Scanner
}

type WaitingCommit = Waiting<CommitResult, CommitFailed>

/**
 * Writes one transaction at a time, over producers that are discarded when they fail. Keeps what is certain: the offset of
 * this claim, and the last offset of its own in each topic.
 */
export class Writer {
  readonly #host: WriterHost
  readonly #name: string
  readonly #claim = randomUUID()
  readonly #topics: Set<Topic>
  readonly #queue: GroupQueue<CommitResult, CommitFailed> = makeGroupQueue((group) => this.#commit(group))
  readonly #own = new Map<Topic, Offset>()
  #claimedAt: Offset = -1
  #session: Session | undefined
  #stopped: Fenced | OutcomeUnknown | undefined
  #closed = false

  constructor(host: WriterHost, name: string, topics: ReadonlyArray<Topic>) {
    this.#host = host
    this.#name = name
    this.#topics = new Set([...topics, FENCE_TOPIC])
  }

  /** Claims the name. Gives the offsets of the fences. */
  async claim(): Promise<ReadonlyMap<Topic, Offset>> {
    const deadline = performance.now() + this.#host.settings.operationTimeoutMs
    for (let pauseMs = RETRY_FIRST_MS; ; pauseMs = Math.min(2 * pauseMs, RETRY_MAX_MS)) {
      try {
        const session = await this.#open(null, deadline)
        this.#claimedAt = session.fences.get(FENCE_TOPIC) ?? -1
        for (const [topic, offset] of session.fences) {
          // Read-committed readers pass the fence only after every earlier transaction has ended.
          await this.#host.scanner.end(topic, offset + 1, deadline)
          this.#host.acknowledged.note(topic, offset + 1)
        }
        this.#noteFences(session)
        return session.fences
      } catch (error) {
        this.#drop()
        if (isUnauthorized(error) || performance.now() + pauseMs > deadline) throw error
        await sleep(pauseMs)
      }
    }
  }

  /** Appends a commit to the queue. The result removes it again, unless it is being written already. */
  enqueue(waiting: WaitingCommit): () => void {
    const refused = this.#refusal(waiting.records)
    if (refused === undefined) return this.#queue.push(waiting)
    waiting.fail(refused)
    return () => undefined
  }

  /** Waits, within bounds, for the commit that is being written, and refuses the queued ones. */
  async close(): Promise<void> {
    this.#closed = true
    this.#queue.failAll(new LogUnavailable({ problem: `the writer "${this.#name}" has been closed`, cause: null }))
    await beforeDeadline(performance.now() + CLOSE_WAIT_MS, this.#queue.idle()).catch(() => undefined)
    this.#drop()
  }

  #refusal(records: ReadonlyArray<LogRecord>): CommitFailed | undefined {
    if (this.#stopped !== undefined) return this.#stopped
    const unavailable = (problem: string) => new LogUnavailable({ problem, cause: null })
    if (this.#closed) return unavailable(`the writer "${this.#name}" has been closed`)
    if (this.#queue.waiting() >= COMMITS_WAITING_MAX) return unavailable(`${COMMITS_WAITING_MAX} commits wait already`)
    return unacceptable(records, this.#host.limits)
  }

  async #commit(group: ReadonlyArray<WaitingCommit>): Promise<void> {
    const records = group.flatMap((waiting) => waiting.records)
    try {
      const offsets = await this.#write(records)
      for (const [index, { topic }] of records.entries()) {
        const offset = offsets[index] ?? -1
        this.#own.set(topic, offset)
        this.#host.acknowledged.note(topic, offset + 1)
      }
      commits.inc({ writer: this.#name }, group.length)
      let from = 0
      for (const waiting of group) {
        waiting.succeed({ offsets: offsets.slice(from, from + waiting.records.length) })
        from += waiting.records.length
      }
    } catch (error) {
      if (isTooLarge(error) && group.length > 1) {
        // The brokers do not name the record: the commits are tried one by one, in their order.
        for (const waiting of group) await this.#commit([waiting])
        return
      }
      const failure = this.#failure(records, error)
      for (const waiting of group) waiting.fail(failure)
      if (this.#stopped !== undefined) this.#queue.failAll(this.#stopped)
    }
  }

  #failure(records: ReadonlyArray<LogRecord>, error: unknown): CommitFailed {
    if (error instanceof Fenced || error instanceof OutcomeUnknown) {
      this.#stopped = error
      return error
    }
    return writeFailure(records, error, this.#host.limits)
  }

  /**
   * Writes records in one transaction, and retries failures of producers, replies and brokers until the commit is known to
   * be done or the deadline passes. Throws `Fenced`, `OutcomeUnknown`, or the last error if nothing was written.
   */
  async #write(records: ReadonlyArray<LogRecord>): Promise<ReadonlyArray<Offset>> {
    const deadline = performance.now() + this.#host.settings.commitTimeoutMs
    const layout =
      records.length === 0
        ? layOutProof(randomUUID(), fenceMessage(this.#name, this.#claim, this.#claimedAt))
        : layOut(randomUUID(), records, this.#host.limits)
    let unknown = false
    for (let pauseMs = RETRY_FIRST_MS; ; pauseMs = Math.min(2 * pauseMs, RETRY_MAX_MS)) {
      try {
        await this.#noteNewTopics(layout, deadline)
        let session = this.#session
        if (session === undefined) {
          const recovered = await this.#recover(unknown ? layout : undefined, deadline)
          if (recovered.found !== undefined) return recovered.found.offsetsOf(layout)
          unknown = false
          session = recovered.session
        }
        const bases = await session.transact(layout, deadline, () => {
          unknown = records.length > 0
        })
        return bases.offsetsOf(layout)
      } catch (error) {
        this.#drop()
        if (error instanceof Fenced || (isTooLarge(error) && !unknown)) throw error
        const graceMs = isEpochRefused(error) ? CLAIM_GRACE_MS : pauseMs
        if (this.#closed || performance.now() + graceMs > deadline) {
          throw unknown ? new OutcomeUnknown({ writer: this.#name, cause: error }) : error
        }
        await sleep(graceMs)
      }
    }
  }

  /** Notes the ends of topics that were not claimed and are written for the first time: own records follow there. */
  async #noteNewTopics(layout: Layout, deadline: number): Promise<void> {
    for (const topic of layout.requests.flatMap((request) => [...request.keys()])) {
      if (this.#topics.has(topic)) continue
      this.#own.set(topic, (await this.#host.scanner.end(topic, 0, deadline)) - 1)
      this.#topics.add(topic)
    }
  }

  /**
   * Makes a new producer and, if a layout is given, reads whether it was committed: `found` has its offsets then. Looks
   * for a later claim first: a process that was suspended and continues must not fence its successor.
   */
  async #recover(
    layout: Layout | undefined,
    deadline: number,
  ): Promise<{ readonly session: Session; readonly found: Bases | undefined }> {
    recoveries.inc({ writer: this.#name })
    const { scanner } = this.#host
    const from = (this.#own.get(FENCE_TOPIC) ?? -1) + 1
    const end = await scanner.end(FENCE_TOPIC, 0, deadline)
    await this.#refuseLaterClaim(from, end, deadline)
    const session = await this.#open(this.#claimedAt, deadline)
    await this.#refuseLaterClaim(Math.max(from, end), session.fences.get(FENCE_TOPIC) ?? 0, deadline)
    const found =
      layout === undefined ? undefined : await findCommitted(scanner, layout, this.#own, session.fences, deadline)
    this.#noteFences(session)
    return { session, found }
  }

  async #refuseLaterClaim(from: Offset, upTo: Offset, deadline: number): Promise<void> {
    let later = false
    const visit = (record: FetchedRecord) => {
      later ||= isLaterClaim(record, this.#name, this.#claim, this.#claimedAt)
    }
    await this.#host.scanner.scan(FENCE_TOPIC, from, upTo, visit, deadline)
    if (later) throw new Fenced({ writer: this.#name })
  }

  async #open(claimedAt: Offset | null, deadline: number): Promise<Session> {
    const fence = fenceMessage(this.#name, this.#claim, claimedAt)
    const session = await openSession(this.#host.settings, this.#name, [...this.#topics], fence, deadline)
    this.#session = session
    return session
  }

  #noteFences(session: Session): void {
    for (const [topic, offset] of session.fences) this.#own.set(topic, offset)
  }

  #drop(): void {
    this.#session?.discard()
    this.#session = undefined
  }
}

/**
 * Finds the offsets of a layout's records, in each topic after the offset in `after` and below the one in `before`;
 * undefined if the layout was not committed.
 */
const findCommitted = async (
  scanner: Scanner,
  layout: Layout,
  after: ReadonlyMap<Topic, Offset>,
  before: ReadonlyMap<Topic, Offset>,
  deadline: number,
): Promise<Bases | undefined> => {
  const bases = new Bases()
  for (const topic of new Set(layout.requests.flatMap((request) => [...request.keys()]))) {
    const visit = (record: FetchedRecord) => bases.addWhenOf(layout.id, topic, record)
    await scanner.scan(topic, (after.get(topic) ?? -1) + 1, before.get(topic) ?? 0, visit, deadline)
    // A transaction is in all of its topics or in none.
    if (!bases.has(topic)) return undefined
  }
  return bases
}
