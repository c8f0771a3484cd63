import { setTimeout as sleep } from "node:timers/promises"
import { endFree, freeRate, serveFree } from "../api-free/served.ts"
import { interleaved, type Measure } from "../benchmark.ts"
import { openReaders, type Readers } from "./contender.ts"
import { ALL_PATH, startStreamsServer } from "./tidewire.ts"

const ROUNDS = 7
const READERS = 1_000
/** Changes a second meanwhile: those of a day of all feeds, spread evenly. */
const PER_SECOND = 3

export const FREE = "free replies, 1,000 streams open"
const FREE_ALONE = "free replies, no stream"
export const BARE = "bare Fastify route, same bytes and headers"

/** The free path while streams are open and get changes. */
export const measureFreePath = async (): Promise<ReadonlyArray<Measure>> => {
  const [server, tidewire, bare] = await Promise.all([startStreamsServer(), serveFree("tidewire"), serveFree("bare")])
  let readers: Readers | undefined
  try {
    readers = await openReaders({ port: server.port, count: READERS, path: ALL_PATH, isRead: true })
    const besideStreams = async () => {
      let isOver = false
      const publishing = (async () => {
        while (!isOver) {
          await server.publish()
          await sleep(1_000 / PER_SECOND)
        }
      })()
      const { perSecond } = await freeRate(server.address)
      isOver = true
      await publishing
      return perSecond
    }
    const contenders = {
      [FREE]: besideStreams,
      [FREE_ALONE]: async () => (await freeRate(tidewire.served.address)).perSecond,
      [BARE]: async () => (await freeRate(bare.served.address)).perSecond,
    }
    // A warm-up round of all contenders.
    await interleaved(1, contenders)
    const figures = await interleaved(ROUNDS, contenders)
    return Object.entries(figures).map(([label, value]) => ({
      label,
      value,
      unit: "requests/s",
      ...(label === BARE ? {} : { ratioTo: BARE }),
    }))
  } finally {
    await readers?.end()
    for (const one of [tidewire, bare]) endFree(one)
    await server.end()
  }
}
