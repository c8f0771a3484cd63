import { setTimeout as sleep } from "node:timers/promises"
import { eventually } from "../../support/eventually.ts"
import { type Measure, median, percentile } from "../benchmark.ts"
import { carryOutRound, openReaders, type Readers, type Round } from "./contender.ts"
import { ALL_PATH, type StreamsServer, startStreamsServer } from "./tidewire.ts"

const ROUNDS = 3
const READERS = 1_000
const SLOW = 20
/** More than the buffers of the kernel take for a reader, and than the window of recent changes holds. */
const LOGGED = 20_000
const SETTLED_MS = 1_000

/** Looks at what is held, of which the least counts: garbage outside of the heap goes a little later. */
const LOOKS = 5
const LOOK_MS = 200

export const HELD = "held for a reader that never reads"
const P99 = "p99 from the follower's receipt: 1,000 streams, nobody slow"
const P99_WHILE = `p99 from the follower's receipt: 1,000 streams while ${SLOW} are sent the past`
export const P99_BESIDE = `p99 from the follower's receipt: 1,000 streams beside ${SLOW} that never read`

const p99Of = (rounds: ReadonlyArray<Round>): number =>
  median(rounds.map(({ sinceReceivedMs }) => percentile(sinceReceivedMs, 0.99)))

/** What a server holds, in bytes. */
const heldBy = async ({ ask }: StreamsServer): Promise<number> => {
  let least = Number.POSITIVE_INFINITY
  for (let look = 0; look < LOOKS; look++) {
    least = Math.min(least, (await ask("held")).heldBytes)
    await sleep(LOOK_MS)
  }
  return least
}

/** Waits until nothing more is written to the slow readers; gives the bytes that they have not taken. */
const unsentBy = async ({ ask }: StreamsServer): Promise<number> => {
  let before = Number.NaN
  return eventually("the slow readers have what they can take", async () => {
    const { unsentBytes } = await ask("received")
    const isSettled = unsentBytes > 0 && unsentBytes === before
    before = unsentBytes
    await sleep(SETTLED_MS)
    return isSettled && unsentBytes
  })
}

/** What readers cost that ask for everything since the start and read nothing, and what the others notice. */
export const measureSlowReaders = async (): Promise<ReadonlyArray<Measure>> => {
  const server = await startStreamsServer(LOGGED)
  const running: Array<Readers> = []
  const open = async (count: number, path: string, isRead: boolean): Promise<Readers> => {
    const readers = await openReaders({ port: server.port, count, path, isRead })
    running.push(readers)
    return readers
  }
  try {
    const contender = { ...server, readers: await open(READERS, ALL_PATH, true), pids: [server.pid] }
    const rounds = { alone: [] as Array<Round>, during: [] as Array<Round>, beside: [] as Array<Round> }
    const held: Array<number> = []
    const unsent: Array<number> = []
    // A warm-up round.
    await carryOutRound(contender)
    for (let round = 0; round < ROUNDS; round++) {
      rounds.alone.push(await carryOutRound(contender))
      const before = await heldBy(server)
      const slow = await open(SLOW, `${ALL_PATH}?after=start`, false)
      rounds.during.push(await carryOutRound(contender))
      unsent.push((await unsentBy(server)) / SLOW)
      held.push(((await heldBy(server)) - before) / SLOW)
      rounds.beside.push(await carryOutRound(contender))
      await slow.ask({ do: "close" })
      await eventually("nothing is unsent", async () => (await server.ask("received")).unsentBytes === 0)
    }
    return [
      { label: HELD, value: median(held) / 1_000, unit: "kB" },
      { label: "of it unsent", value: median(unsent) / 1_000, unit: "kB" },
      { label: P99, value: p99Of(rounds.alone), unit: "ms" },
      { label: P99_WHILE, value: p99Of(rounds.during), unit: "ms", ratioTo: P99 },
      { label: P99_BESIDE, value: p99Of(rounds.beside), unit: "ms", ratioTo: P99 },
    ]
  } finally {
    for (const one of running) await one.end()
    await server.end()
  }
}
