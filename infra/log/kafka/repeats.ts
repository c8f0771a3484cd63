import { Counter } from "prom-client"
import type { Offset } from "../../../schemas/ports/event-log.ts"
import type { Topic } from "../../../schemas/topics.ts"
import type { Fetched, FetchedBatch, FetchedRecord } from "./records.ts"
import { batchIdOf } from "./transaction.ts"

/*
 * Kafka can hold a commit twice, though no request of this adapter is sent twice: a log written by an earlier version, by
 * another client or by a mirror between clusters may. Readers see the first copy only, and all readers the same one,
 * wherever they begin: a batch is a copy if a batch of the same id ends at most `REPEAT_OFFSETS_MAX` offsets before it, and
 * a reader begins that much earlier than the offset that it was asked for.
 *
 * Compaction may remove the record that holds the id, or one of the copies. The copies stand in one transaction, so no other
 * commit of their keys is between them: with either copy alone, each key has the same latest value.
 *
 * The embedded log needs nothing of this kind: its commit is one transaction of the storage engine, which is never sent.
 */

/** Offsets between two copies, at most; the farthest that were measured on a busy cluster were 21 apart. */
export const REPEAT_OFFSETS_MAX = 64

/** Topics of `EventLog.append`, whose records may be repeated: their readers know them by their keys. */
const APPENDED: ReadonlyArray<Topic> = ["usage", "replies"]

const repeated = new Counter({
  name: "tidewire_log_kafka_repeated_commits_total",
  help: "Batches that a reader dropped, as the log holds a copy of them shortly before, by topic",
  labelNames: ["topic"],
})

/** A batch that was read, and whether it is a copy of an earlier one. */
interface SeenBatch {
  readonly base: Offset
  readonly last: Offset
  readonly isRepeat: boolean
}

/** Reads a topic from an offset on, without the copies. */
export class Cursor {
  readonly #topic: Topic
  readonly #from: Offset
  /** The latest batch of each id, in the order of their offsets. A batch takes an offset at least, which bounds them. */
  readonly #seen = new Map<string, SeenBatch>()
  #begun: Offset
  #position: Offset

  constructor(topic: Topic, from: Offset) {
    this.#topic = topic
    this.#from = from
    // At 0 from the start: a counter that appears with the first repeat shows no increase to an alert rule.
    repeated.inc({ topic }, 0)
    this.#begun = APPENDED.includes(topic) ? from : Math.max(0, from - REPEAT_OFFSETS_MAX)
    this.#position = this.#begun
  }

  /** The offset to fetch next. Below the offset that was asked for while the batches before it are being read. */
  get position(): Offset {
    return this.#position
  }

  /** Takes what was fetched at `position`, and gives the records that a reader sees. */
  take({ records, next }: Pick<Fetched, "records" | "next">): ReadonlyArray<FetchedRecord> {
    if (APPENDED.includes(this.#topic)) {
      this.#position = next
      return records
    }
    const before = this.#beforeBatchAt(records.find(({ offset }) => offset >= this.#from))
    if (before < this.#begun) {
      this.#begun = before
      this.#position = before
      this.#seen.clear()
      return []
    }
    this.#position = next
    return records.filter((record) => !this.#isRepeat(record.batch) && record.offset >= this.#from)
  }

  /** Where reading must have begun, if the offset that was asked for is within a batch. */
  #beforeBatchAt(first: FetchedRecord | undefined): Offset {
    if (first === undefined || first.batch.base >= this.#from) return this.#begun
    return Math.max(0, first.batch.base - REPEAT_OFFSETS_MAX)
  }

  #isRepeat(batch: FetchedBatch): boolean {
    const id = batchIdOf(batch)
    if (id === null) return false
    const { base, last } = batch
    const before = this.#seen.get(id)
    // The same batch: another of its records, or it was fetched again.
    if (before?.base === base) return before.isRepeat
    const isRepeat = before !== undefined && base - before.last <= REPEAT_OFFSETS_MAX
    this.#seen.delete(id)
    this.#seen.set(id, { base, last, isRepeat })
    for (const [old, seen] of this.#seen) {
      if (base - seen.last <= REPEAT_OFFSETS_MAX) break
      this.#seen.delete(old)
    }
    if (isRepeat && last >= this.#from) repeated.inc({ topic: this.#topic })
    return isRepeat
  }
}
