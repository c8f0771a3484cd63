import { setTimeout as sleep } from "node:timers/promises"
import type { Offset } from "../../../schemas/ports/event-log.ts"
import type { Topic } from "../../../schemas/topics.ts"
import { clusterTopic, type KafkaSettings } from "./client.ts"
import type { Bounds, Reader } from "./fetch.ts"
import type { ReaderPool } from "./read.ts"
import type { FetchedRecord } from "./records.ts"
import { within } from "./session.ts"

const SCAN_WAIT_MS = 50
const VISIBILITY_POLL_MS = 3

/** Looks into topics for a writer: what has become of its transactions, and who has claimed its name. */
export interface Scanner {
  /** Shows every committed record in [from, upTo), fences included; waits until the log is visible so far. */
  readonly scan: (
    topic: Topic,
    from: Offset,
    upTo: Offset,
    visit: (record: FetchedRecord) => void,
    deadline: number,
  ) => Promise<void>
  /** The end of a topic, once it is beyond `atLeast`. */
  readonly end: (topic: Topic, atLeast: Offset, deadline: number) => Promise<Offset>
}

/** Scans over connections of the pool. Deadlines are times of `performance.now()`; past them `Late` is thrown. */
export const makeScanner = (settings: KafkaSettings, pool: ReaderPool): Scanner => {
  const withReader = async <A>(deadline: number, use: (reader: Reader) => Promise<A>): Promise<A> => {
    const reader = pool.take()
    try {
      const result = await within(deadline, use(reader))
      pool.give(reader)
      return result
    } catch (error) {
      reader.close()
      throw error
    }
  }
  return {
    scan: async (topic, from, upTo, visit, deadline) => {
      for (let position = from; position < upTo; ) {
        const fetched = await withReader(deadline, (reader) =>
          reader.fetch(clusterTopic(settings, topic), position, SCAN_WAIT_MS),
        )
        for (const record of fetched.records) if (record.offset < upTo) visit(record)
        position = fetched.next
      }
    },
    end: async (topic, atLeast, deadline) => {
      for (;;) {
        const bounds: Bounds = await withReader(deadline, (reader) => reader.bounds(clusterTopic(settings, topic)))
        if (bounds.end >= atLeast) return bounds.end
        await within(deadline, sleep(VISIBILITY_POLL_MS))
      }
    },
  }
}
