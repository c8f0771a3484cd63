import { setTimeout as sleep } from "node:timers/promises"
import type { Offset } from "../../../schemas/ports/event-log.ts"
import type { Topic } from "../../../schemas/topics.ts"
import { clusterTopic, type KafkaSettings } from "./client.ts"
import type { Bounds, Reader } from "./fetch.ts"
import type { ReaderPool } from "./reader-pool.ts"
import type { FetchedRecord } from "./records.ts"
import { within } from "./session.ts"
import { Bases, type Layout } from "./transaction.ts"

const SCAN_WAIT_MS = 50
const VISIBILITY_POLL_MS = 3

/** Reads topics for a writer, to find the outcome of its transactions and later claims of its name. */
export interface Scanner {
  /** Visits every committed record in [from, upTo), fences included; waits until they are visible. */
  readonly scan: (
    topic: Topic,
    from: Offset,
    upTo: Offset,
    visit: (record: FetchedRecord) => void,
    deadline: number,
  ) => Promise<void>
  /** Gives the end of a topic, once it is at least `atLeast`. */
  readonly end: (topic: Topic, atLeast: Offset, deadline: number) => Promise<Offset>
}

/** Makes a scanner over connections of the pool. Deadlines are times of `performance.now()`; after them `Late` is thrown. */
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

/**
 * Finds the offsets of a layout's records, in each topic after the offset in `after` and below the one in `before`;
 * undefined if the layout was not committed.
 */
export const findCommitted = async (
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
