import { setTimeout as sleep } from "node:timers/promises"
import type { Measure } from "../benchmark.ts"
import { startEveryFeed } from "../every-feed/service.ts"
import { memoryOf } from "../process-memory.ts"
import { openReaders } from "./contender.ts"
import { ALL_PATH } from "./tidewire.ts"

const STREAMS = 100
const PER_ADDRESS = 10
/** How long it runs without streams, and then with them. */
const MINUTES = 4
const LOOK_MS = 500
const MEGABYTE = 1_000_000

const WITHOUT = "every feed: most anonymous memory of Node, no stream"
export const WITH = `every feed: most anonymous memory of Node, ${STREAMS} streams`

/** The most anonymous memory of a process over some minutes. */
const mostOf = async (pid: number): Promise<number> => {
  let most = 0
  for (const endsMs = Date.now() + MINUTES * 60_000; Date.now() < endsMs; await sleep(LOOK_MS))
    most = Math.max(most, memoryOf(pid, "RssAnon"))
  return most / MEGABYTE
}

/** The whole service with every feed, first without streams, then with some that get every change. */
export const measureEveryFeed = async (): Promise<ReadonlyArray<Measure>> => {
  const { service, pid, end } = await startEveryFeed()
  try {
    const without = await mostOf(pid)
    const port = Number(new URL(service.url).port)
    const opening = { count: STREAMS, perAddress: PER_ADDRESS, path: ALL_PATH, isRead: true }
    const readers = await openReaders({ port, ...opening })
    try {
      const withStreams = await mostOf(pid)
      const { open, deliveries, reads } = await readers.ask({ do: "count" })
      if (open !== STREAMS) throw new Error(`${open} of ${STREAMS} streams are open`)
      return [
        { label: "every feed: changes to each stream", value: deliveries / STREAMS / MINUTES, unit: "a minute" },
        { label: "every feed: reads that held them", value: reads / STREAMS / MINUTES, unit: "a minute" },
        { label: WITHOUT, value: without, unit: "MB" },
        { label: WITH, value: withStreams, unit: "MB", ratioTo: WITHOUT },
      ]
    } finally {
      await readers.end()
    }
  } finally {
    await end()
  }
}
