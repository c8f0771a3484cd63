import { setTimeout as sleep } from "node:timers/promises"
import { eventually } from "../../support/eventually.ts"
import { type Measure, median, percentile } from "../benchmark.ts"
import { carryOutRound, openReaders, type Readers, type Round } from "./contender.ts"
import { startStreamsServer } from "./tidewire.ts"

const ROUNDS = 5
const READERS = 1_000
const SLOW = 20
/** More than the buffers of the kernel take for a reader, and than the window of recent changes holds. */
const LOGGED = 20_000
const SETTLED_MS = 1_000

export const HELD = "held for a reader that never reads"
const P99 = "p99 from the follower's receipt: 1,000 streams, nobody slow"
export const P99_BESIDE = `p99 from the follower's receipt: 1,000 streams beside ${SLOW} that never read`

const slowP99 = (rounds: ReadonlyArray<Round>): number =>
  median(rounds.map(({ sinceReceivedMs }) => percentile(sinceReceivedMs, 0.99)))

/** What readers cost that ask for everything since the start and read nothing, and what the others notice. */
export const measureSlowReaders = async (): Promise<ReadonlyArray<Measure>> => {
  const server = await startStreamsServer(LOGGED)
  const running: Array<Readers> = []
  try {
    const readers = await openReaders({ port: server.port, count: READERS, path: "/api/stream", isRead: true })
    running.push(readers)
    const contender = { ...server, readers, pids: [server.pid] }
    const alone: Array<Round> = []
    const beside: Array<Round> = []
    const heldBytes: Array<number> = []
    const unsentBytes: Array<number> = []

    /** Waits until nothing more is written to the slow ones. */
    const settled = async (): Promise<number> => {
      let before = Number.NaN
      return eventually("the slow readers have what they can take", async () => {
        const { unsentBytes: now } = await server.ask("received")
        const isSettled = now > 0 && now === before
        before = now
        await sleep(SETTLED_MS)
        return isSettled && now
      })
    }
    const roundBeside = async () => {
      const before = await server.ask("held")
      const slow = await openReaders({ port: server.port, count: SLOW, path: "/api/stream?after=start", isRead: false })
      running.push(slow)
      beside.push(await carryOutRound(contender))
      unsentBytes.push((await settled()) / SLOW)
      const after = await server.ask("held")
      heldBytes.push((after.heldBytes - before.heldBytes) / SLOW)
      await slow.ask({ do: "close" })
      await eventually("nothing is unsent", async () => (await server.ask("received")).unsentBytes === 0)
    }
    // A warm-up round.
    await carryOutRound(contender)
    for (let round = 0; round < ROUNDS; round++) {
      alone.push(await carryOutRound(contender))
      await roundBeside()
    }
    return [
      { label: HELD, value: median(heldBytes) / 1_000, unit: "kB" },
      { label: "of it unsent", value: median(unsentBytes) / 1_000, unit: "kB" },
      { label: P99, value: slowP99(alone), unit: "ms" },
      { label: P99_BESIDE, value: slowP99(beside), unit: "ms", ratioTo: P99 },
    ]
  } finally {
    for (const one of running) await one.end()
    await server.end()
  }
}
