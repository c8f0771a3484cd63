import { randomUUID } from "node:crypto"
import { setTimeout as sleep } from "node:timers/promises"
import { Effect, type Scope } from "effect"
import { Counter } from "prom-client"
import {
  type ClaimFailed,
  type CommitFailed,
  type Committed,
  Fenced,
  type FencedWriter,
  type LogRecord,
  LogUnavailable,
  type Offset,
  OutcomeUnknown,
  RecordTooLarge,
  UnknownTopic,
} from "../../../schemas/ports/event-log.ts"
import { type Topic, topicNames } from "../../../schemas/topics.ts"
import { isEpochRefused, isTooLarge, type KafkaSettings, sentenceOf } from "./client.ts"
import { type GroupQueue, makeGroupQueue, type Waiting } from "./queue.ts"
import type { Acknowledged } from "./read.ts"
import type { FetchedRecord } from "./records.ts"
import type { Scanner } from "./scan.ts"
import { openSession, type Session, within } from "./session.ts"
import type { TopicLimits } from "./topics.ts"
import {
  Bases,
  FENCE_TOPIC,
  fenceMessage,
  isLaterClaim,
  type Layout,
  layOut,
  layOutProof,
  recordBytes,
} from "./transaction.ts"

/** One commit, over all its topics: it must be through well within the time that a transaction has. */
const COMMIT_BYTES_MAX = 64 * 1024 * 1024
const COMMITS_WAITING_MAX = 20_000
const RETRY_FIRST_MS = 50
const RETRY_MAX_MS = 1_000
/** Time that another process which has just taken the name is given to write its fence, before this one looks for it. */
const CLAIM_GRACE_MS = 500
const CLOSE_WAIT_MS = 5_000

const commits = new Counter({
  name: "tidewire_log_kafka_commits_total",
  help: "Commits that the brokers acknowledged, by writer",
  labelNames: ["writer"],
})
const recoveries = new Counter({
  name: "tidewire_log_kafka_recoveries_total",
  help: "Times that a writer had to make its producer again and to read what became of its last commit, by writer",
  labelNames: ["writer"],
})

/** What all writers of one opened log share. */
export interface WriterHost {
  readonly settings: KafkaSettings
  readonly limits: ReadonlyMap<Topic, TopicLimits>
  readonly acknowledged: Acknowledged
  readonly scanner: Scanner
}

type WaitingCommit = Waiting<Committed, CommitFailed>

/**
 * A writer's one outstanding transaction at a time, over producers that are thrown away when they fail. What is known for
 * certain is kept here: where this claim stands, and the last offset of its own in each topic.
 */
class Writer {
  readonly #host: WriterHost
  readonly #name: string
  readonly #claim = randomUUID()
  readonly #topics: Set<Topic>
  readonly #queue: GroupQueue<Committed, CommitFailed> = makeGroupQueue((group) => this.#commit(group))
  readonly #own = new Map<Topic, Offset>()
  #claimedAt: Offset = -1
  #session: Session | undefined
  #dead: Fenced | OutcomeUnknown | undefined
  #closed = false

  constructor(host: WriterHost, name: string, topics: ReadonlyArray<Topic>) {
    this.#host = host
    this.#name = name
    this.#topics = new Set([...topics, FENCE_TOPIC])
  }

  /** Takes the name; the offsets of the fences. */
  async claim(): Promise<ReadonlyMap<Topic, Offset>> {
    const deadline = performance.now() + this.#host.settings.operationTimeoutMs
    for (let pauseMs = RETRY_FIRST_MS; ; pauseMs = Math.min(2 * pauseMs, RETRY_MAX_MS)) {
      try {
        const session = await this.#open(null, deadline)
        this.#claimedAt = session.fences.get(FENCE_TOPIC) ?? -1
        for (const [topic, offset] of session.fences) {
          // Read-committed readers come past the fence only when every transaction before it has ended.
          await this.#host.scanner.end(topic, offset + 1, deadline)
          this.#host.acknowledged.note(topic, offset + 1)
        }
        this.#noteFences(session)
        return session.fences
      } catch (error) {
        this.#drop()
        if (performance.now() + pauseMs > deadline) throw error
        await sleep(pauseMs)
      }
    }
  }

  /** Puts a commit at the end of the queue. The result takes it out again, when it is not on its way yet. */
  enqueue(waiting: WaitingCommit): () => void {
    const refused = this.#refusal(waiting.records)
    if (refused === undefined) return this.#queue.push(waiting)
    waiting.fail(refused)
    return () => undefined
  }

  /** Lets what is on its way come to its end, within bounds, and refuses the rest. */
  async close(): Promise<void> {
    this.#closed = true
    this.#queue.failAll(new LogUnavailable({ problem: `the writer "${this.#name}" has been closed`, cause: null }))
    await within(performance.now() + CLOSE_WAIT_MS, this.#queue.idle()).catch(() => undefined)
    this.#drop()
  }

  #refusal(records: ReadonlyArray<LogRecord>): CommitFailed | undefined {
    if (this.#dead !== undefined) return this.#dead
    const unavailable = (problem: string) => new LogUnavailable({ problem, cause: null })
    if (this.#closed) return unavailable(`the writer "${this.#name}" has been closed`)
    if (this.#queue.waiting() >= COMMITS_WAITING_MAX) return unavailable(`${COMMITS_WAITING_MAX} commits wait already`)
    let bytes = 0
    for (const record of records) {
      const limits = this.#host.limits.get(record.topic)
      if (limits === undefined) return new UnknownTopic({ topic: record.topic })
      const size = recordBytes(record)
      if (size > limits.recordBytesMax) return tooLarge(record, size, limits.recordBytesMax)
      bytes += size
      if (bytes > COMMIT_BYTES_MAX) return tooLarge(record, bytes, COMMIT_BYTES_MAX)
    }
    return undefined
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
        // The brokers do not say whose record it was: each commit for itself, in their order.
        for (const waiting of group) await this.#commit([waiting])
        return
      }
      const failure = this.#failure(records, error)
      for (const waiting of group) waiting.fail(failure)
      if (this.#dead !== undefined) this.#queue.failAll(this.#dead)
    }
  }

  #failure(records: ReadonlyArray<LogRecord>, error: unknown): CommitFailed {
    if (error instanceof Fenced || error instanceof OutcomeUnknown) {
      this.#dead = error
      return error
    }
    const largest = records.reduce<LogRecord | undefined>(
      (found, record) => (found === undefined || recordBytes(record) > recordBytes(found) ? record : found),
      undefined,
    )
    if (isTooLarge(error) && largest !== undefined) {
      const size = recordBytes(largest)
      return tooLarge(largest, size, Math.min(size, this.#host.limits.get(largest.topic)?.recordBytesMax ?? size))
    }
    return new LogUnavailable({ problem: sentenceOf(error), cause: error })
  }

  /**
   * Writes records in one transaction, whatever happens to producers, replies and brokers meanwhile, until it is known to
   * be done or the time is over. Throws `Fenced`, `OutcomeUnknown`, or what kept it from writing: then nothing was written.
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
        await this.#meet(layout, deadline)
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

  /** Notes where topics end that were not claimed and are written for the first time: what is ours stands behind. */
  async #meet(layout: Layout, deadline: number): Promise<void> {
    for (const topic of layout.requests.flatMap((request) => [...request.keys()])) {
      if (this.#topics.has(topic)) continue
      this.#own.set(topic, (await this.#host.scanner.end(topic, 0, deadline)) - 1)
      this.#topics.add(topic)
    }
  }

  /**
   * Makes the producer again and, where a layout is given, reads whether it was committed: `found` says where it stands. A
   * later claim is looked for first: a process that was stopped and wakes up must not fence its successor.
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
    const found = layout === undefined ? undefined : await this.#find(layout, session, deadline)
    this.#noteFences(session)
    return { session, found }
  }

  /** Where the records of a layout stand below the fences of a session; undefined where it was not committed. */
  async #find(layout: Layout, session: Session, deadline: number): Promise<Bases | undefined> {
    const bases = new Bases()
    for (const topic of new Set(layout.requests.flatMap((request) => [...request.keys()]))) {
      const visit = (record: FetchedRecord) => bases.addWhenOf(layout.id, topic, record)
      const from = (this.#own.get(topic) ?? -1) + 1
      await this.#host.scanner.scan(topic, from, session.fences.get(topic) ?? 0, visit, deadline)
      // A transaction is in all of its topics or in none.
      if (!bases.has(topic)) return undefined
    }
    return bases
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

const tooLarge = (record: LogRecord, sizeBytes: number, maxBytes: number): RecordTooLarge =>
  new RecordTooLarge({ topic: record.topic, key: record.key, sizeBytes, maxBytes })

/** Claims a writer's name for the scope; see the port. */
export const claimWriter = (
  host: WriterHost,
  name: string,
  topics: ReadonlyArray<Topic>,
): Effect.Effect<FencedWriter, ClaimFailed, Scope.Scope> =>
  Effect.gen(function* () {
    const unknown = topics.find((topic) => !topicNames.includes(topic))
    if (unknown !== undefined) return yield* new UnknownTopic({ topic: unknown })
    const writer = yield* Effect.acquireRelease(
      Effect.sync(() => new Writer(host, name, topics)),
      (held) => Effect.promise(() => held.close()),
    )
    const fences = yield* Effect.tryPromise({
      try: () => writer.claim(),
      catch: (cause) => new LogUnavailable({ problem: `claiming "${name}": ${sentenceOf(cause)}`, cause }),
    })
    return {
      writer: name,
      ends: Object.fromEntries(topics.map((topic) => [topic, fences.get(topic) ?? 0])),
      commit: (records) =>
        Effect.callback<Committed, CommitFailed>((resume) => {
          const cancel = writer.enqueue({
            records,
            succeed: (committed) => resume(Effect.succeed(committed)),
            fail: (error) => resume(Effect.fail(error)),
          })
          return Effect.sync(cancel)
        }),
    }
  })
