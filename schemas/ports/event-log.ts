import type * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import type * as Scope from "effect/Scope"
import type * as Stream from "effect/Stream"
import type { Topic } from "../topics.ts"

/** A position in a topic. Offsets increase along a topic; they need not be dense. */
export type Offset = number

/** A record to be written. `value: null` removes the key of a compacted topic. */
export interface LogRecord {
  readonly topic: Topic
  readonly key: string
  readonly value: Uint8Array | null
}

/** A record in the log. */
export interface StoredRecord {
  readonly offset: Offset
  readonly key: string
  readonly value: Uint8Array | null
}

/** Records of one topic in order, and the offset to continue from (after records that readers do not see). */
export interface Batch {
  readonly topic: Topic
  readonly records: ReadonlyArray<StoredRecord>
  readonly next: Offset
}

/** The offsets of the records of a commit, in the order of the records. */
export interface CommitResult {
  readonly offsets: ReadonlyArray<Offset>
}

/** Another process has claimed the writer since: every further commit fails. */
export class Fenced extends Schema.TaggedError<Fenced>()("Fenced", { writer: Schema.String }) {
  override get message() {
    return `another process has claimed the writer "${this.writer}"; this one has stopped`
  }
}

/** It is unknown whether the records were written. Further commits fail: recovery needs a new claim and a read of the log. */
export class OutcomeUnknown extends Schema.TaggedError<OutcomeUnknown>()("OutcomeUnknown", {
  writer: Schema.String,
  cause: Schema.Defect(),
}) {
  override get message() {
    return `the outcome of a commit of "${this.writer}" is not known`
  }
}

/** The log is unavailable; nothing was written. A later retry may succeed. */
export class LogUnavailable extends Schema.TaggedError<LogUnavailable>()("LogUnavailable", {
  problem: Schema.String,
  cause: Schema.Defect(),
}) {
  override get message() {
    return `the log is unavailable: ${this.problem}`
  }
}

/** The disk is full: nothing was written; reads still succeed. */
export class LogFull extends Schema.TaggedError<LogFull>()("LogFull", { problem: Schema.String }) {
  override get message() {
    return `the log cannot grow: ${this.problem}`
  }
}

/** A record, or the whole commit, is larger than the log takes; nothing was written. */
export class RecordTooLarge extends Schema.TaggedError<RecordTooLarge>()("RecordTooLarge", {
  topic: Schema.String,
  key: Schema.String,
  sizeBytes: Schema.Int,
  maxBytes: Schema.Int,
}) {
  override get message() {
    return `record "${this.key}" of ${this.topic} has ${this.sizeBytes} bytes; the log takes ${this.maxBytes}`
  }
}

/** The log has no such topic. */
export class UnknownTopic extends Schema.TaggedError<UnknownTopic>()("UnknownTopic", { topic: Schema.String }) {
  override get message() {
    return `the log has no topic "${this.topic}"`
  }
}

export type ClaimFailed = LogUnavailable | LogFull | UnknownTopic
export type CommitFailed = Fenced | OutcomeUnknown | LogUnavailable | LogFull | RecordTooLarge | UnknownTopic
export type AppendFailed = LogUnavailable | LogFull | RecordTooLarge | UnknownTopic
export type ReadFailed = LogUnavailable | UnknownTopic

/** The largest record, key and value together, in bytes: an 8 MiB payload in its envelope fits. */
export const RECORD_MAX_BYTES = 12 * 1024 * 1024

/** The current holder of a writer's name. */
export interface FencedWriter {
  readonly writer: string
  /**
   * For each claimed topic, the offset below which nothing can change any more and everything that an earlier holder
   * committed is visible: replay up to here before the first decision.
   */
  readonly ends: Readonly<Partial<Record<Topic, Offset>>>
  /**
   * Appends all of the records, over as many topics as they name, or none, and succeeds when they are durable. Commits
   * that wait at the same time share one flush or transaction; each remains all or nothing by itself. Records are
   * ordered as the calls were made. After `Fenced` or `OutcomeUnknown` every further commit fails likewise.
   */
  readonly commit: (records: ReadonlyArray<LogRecord>) => Effect.Effect<CommitResult, CommitFailed>
}

/**
 * The event log. Two adapters pass one conformance suite: `infra/log/lmdb/` and `infra/log/kafka/`. Readers see each commit
 * once, and all of them at the same offsets, the ones that the commit gave.
 */
export interface EventLog {
  /**
   * Takes a writer's name for the scope and fences the previous holder: its commits fail with `Fenced` from then on.
   * `topics` are those that the writer replays and writes. The name is claimed, not the topics.
   */
  readonly claim: (
    writer: string,
    topics: ReadonlyArray<Topic>,
  ) => Effect.Effect<FencedWriter, ClaimFailed, Scope.Scope>
  /**
   * Waits until this process is the one that should hold the name: at once in a single process, by the failure
   * detector of the log where there are standbys. It is a hint that spares fencing battles; safety is the fence's.
   * `standby` is called whenever it is known that another process has the turn.
   */
  readonly awaitTurn: (writer: string, standby?: () => void) => Effect.Effect<void, ClaimFailed, Scope.Scope>
  /** Every record from `from` up to the end known when asked. */
  readonly read: (topic: Topic, from: Offset) => Stream.Stream<Batch, ReadFailed>
  /** Every record from `from`, and then each that is committed, until interrupted. */
  readonly follow: (topic: Topic, from: Offset) => Stream.Stream<Batch, ReadFailed>
  /** The offset below which every record has been dropped, if there ever was one: where reading begins. */
  readonly start: (topic: Topic) => Effect.Effect<Offset, ReadFailed>
  /** The offset that follows the last record that is visible now. */
  readonly end: (topic: Topic) => Effect.Effect<Offset, ReadFailed>
  /** The bytes of the records that a topic keeps, keys and values together; null if the engine does not report it. */
  readonly bytes: (topic: Topic) => Effect.Effect<number | null, ReadFailed>
  /**
   * Appends without a claim, at least once, durable when it succeeds: for records that may be duplicated and are deduplicated
   * by key (`usage` and `replies`).
   */
  readonly append: (
    records: ReadonlyArray<LogRecord & { readonly topic: "usage" | "replies" }>,
  ) => Effect.Effect<void, AppendFailed>
  /**
   * The topics of which the loss of one machine may lose an acknowledged record although the log is on several, each with the
   * reason and what changes it. Empty for a log on one machine.
   */
  readonly risks: Effect.Effect<ReadonlyMap<Topic, string>, LogUnavailable>
  /** Drops the records of a topic below `before`. Offsets of what stays do not change. */
  readonly trim: (topic: Topic, before: Offset) => Effect.Effect<void, ReadFailed>
}
