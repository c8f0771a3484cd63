import { setTimeout as sleep } from "node:timers/promises"
import { endFree, freeRate, serveFree } from "../api-free/served.ts"
import { interleaved, type Measure, median } from "../benchmark.ts"
import { cpuMicrosOf } from "../process-time.ts"
import { openReaders, type Readers } from "./contender.ts"
import { ALL_PATH, startStreamsServer } from "./tidewire.ts"

const ROUNDS = 9
const READERS = 1_000
/** How often changes are committed meanwhile, and how many at once. */
interface Pace {
  readonly everyMs: number
  readonly changes: number
}
/** Twice as often as all feeds of the simulated world, and as many at once: 15 times a minute, 16 or 17 (`every-feed.ts`). */
const AS_EVERY_FEED: Pace = { everyMs: 2_000, changes: 16 }
/** Each with a send of its own, which no feed asks for. */
const ONE_BY_ONE: Pace = { everyMs: 200, changes: 1 }

export const FREE = "free replies, 1,000 streams open"
const FREE_BUSY = "free replies, 1,000 streams, each sent 5 single changes a second"
const FREE_ALONE = "free replies, no stream"
const BARE = "bare Fastify route, same bytes and headers"
const CPU = "processor time: "

/** The free path while streams are open and get changes. */
export const measureFreePath = async (): Promise<ReadonlyArray<Measure>> => {
  const [server, alone, bare] = await Promise.all([startStreamsServer(), startStreamsServer(), serveFree("bare")])
  let readers: Readers | undefined
  try {
    readers = await openReaders({ port: server.port, count: READERS, path: ALL_PATH, isRead: true })
    // Processor time is reported too: unlike the rate, it hardly depends on the load of the machine.
    const cpu = new Map<string, Array<number>>()
    const measured = (label: string, pid: number, address: string) => async () => {
      const before = cpuMicrosOf([pid])
      const { perSecond, total } = await freeRate(address)
      cpu.set(label, [...(cpu.get(label) ?? []), (cpuMicrosOf([pid]) - before) / total])
      return perSecond
    }
    const whileSent = (label: string, { everyMs, changes }: Pace) => {
      const request = measured(label, server.pid, server.address)
      return async () => {
        let isOver = false
        const committing = (async () => {
          while (!isOver) {
            await server.commit(changes)
            await sleep(everyMs)
          }
        })()
        const perSecond = await request()
        isOver = true
        await committing
        return perSecond
      }
    }
    const contenders = {
      [FREE]: whileSent(FREE, AS_EVERY_FEED),
      [FREE_BUSY]: whileSent(FREE_BUSY, ONE_BY_ONE),
      [FREE_ALONE]: measured(FREE_ALONE, alone.pid, alone.address),
      [BARE]: measured(BARE, bare.child.pid ?? 0, bare.served.address),
    }
    // A warm-up round of all contenders.
    await interleaved(1, contenders)
    cpu.clear()
    const figures = await interleaved(ROUNDS, contenders)
    const beside = (label: string, of: string) => (label === BARE ? {} : { ratioTo: `${of}${BARE}` })
    return [
      ...Object.entries(figures).map(([label, value]) => ({ label, value, unit: "requests/s", ...beside(label, "") })),
      ...[...cpu].map(([label, values]) => ({
        label: `${CPU}${label}`,
        value: median(values),
        unit: "us/request",
        ...beside(label, CPU),
      })),
    ]
  } finally {
    await readers?.end()
    endFree(bare)
    await alone.end()
    await server.end()
  }
}
