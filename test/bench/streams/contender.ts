import { setTimeout as sleep } from "node:timers/promises"
import { eventually } from "../../support/eventually.ts"
import { cpuMicrosOf, sharedNowMs } from "../process-time.ts"
import { endAll, start } from "../processes.ts"
import type { Opening, ReadersCommand, ReadersReport } from "./readers.ts"

/** Changes of a round, and how many of them a second. */
const CHANGES = 100
const PER_SECOND = 20
const ARRIVED_WITHIN_MS = 30_000

/** Readers in a process of their own. */
export interface Readers {
  readonly ask: (command: ReadersCommand) => Promise<ReadersReport>
  readonly end: () => Promise<void>
}

/** Opens streams, from a process with V8's own heap: its collections would show in the latencies. */
export const openReaders = async (opening: Opening): Promise<Readers> => {
  const started = start(new URL("./readers.ts", import.meta.url), [], { execArgv: [] })
  const ask = async (command: ReadersCommand): Promise<ReadersReport> => {
    started.child.send(command)
    return (await started.next()) as ReadersReport
  }
  await ask({ do: "open", ...opening })
  return { ask, end: () => endAll([started]) }
}

/** A server of streams, and those of its readers to whom every change goes. */
export interface Contender {
  /** Its processes, whose processor time counts. */
  readonly pids: ReadonlyArray<number>
  readonly readers: Readers
  /** Publishes the change of the next number; resolves with it when that is acknowledged. */
  readonly publish: () => Promise<number>
  /** When its follower received the changes since the last call; empty where it has none. */
  readonly receivedMs: () => Promise<ReadonlyMap<number, number>>
  readonly end: () => Promise<void>
}

/** A round: changes at a fixed pace, each delivered to every reader. */
export interface Round {
  /** Latencies of the deliveries in milliseconds, from the moment before a change was published. */
  readonly sincePublishedMs: ReadonlyArray<number>
  /** The same from the moment at which the follower of the log received it; empty where there is none. */
  readonly sinceReceivedMs: ReadonlyArray<number>
  /** Processor time of the server for one delivery, in microseconds. */
  readonly cpuMicrosEach: number
}

/** Carries out a round. A delivery that does not arrive fails it. */
export const carryOutRound = async ({ pids, readers, publish, receivedMs }: Contender): Promise<Round> => {
  const { open } = await readers.ask({ do: "collect" })
  await receivedMs()
  const before = cpuMicrosOf(pids)
  const publishedMs = new Map<number, number>()
  const begunMs = sharedNowMs()
  for (let index = 0; index < CHANGES; index++) {
    await sleep(Math.max(0, begunMs + (index * 1_000) / PER_SECOND - sharedNowMs()))
    const atMs = sharedNowMs()
    publishedMs.set(await publish(), atMs)
  }
  await eventually(
    `${CHANGES} changes are with ${open} readers`,
    async () => (await readers.ask({ do: "count" })).deliveries >= CHANGES * open,
    ARRIVED_WITHIN_MS,
  )
  const cpuMicros = cpuMicrosOf(pids) - before
  const { gotMs, deliveries } = await readers.ask({ do: "collect" })
  if (deliveries !== CHANGES * open || gotMs.length !== CHANGES || gotMs.some(([, times]) => times.length !== open))
    throw new Error(`${deliveries} deliveries of ${CHANGES} changes to ${open} readers`)
  const received = await receivedMs()
  const since = (begun: ReadonlyMap<number, number>) =>
    gotMs.flatMap(([ordinal, times]) => times.map((atMs) => atMs - (begun.get(ordinal) ?? Number.NaN)))
  return {
    sincePublishedMs: since(publishedMs),
    sinceReceivedMs: received.size === 0 ? [] : since(received),
    cpuMicrosEach: cpuMicros / deliveries,
  }
}
