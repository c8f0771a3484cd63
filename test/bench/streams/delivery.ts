import { interleaved, type Measure, median, percentile } from "../benchmark.ts"
import { forgetPeak, memoryOf } from "../process-memory.ts"
import { type Contender, carryOutRound, openReaders, type Round } from "./contender.ts"
import { startDurable } from "./durable.ts"
import { startNchan } from "./nchan.ts"
import { ALL_PATH, startStreamsServer } from "./tidewire.ts"

const ROUNDS = 5
const READERS = 1_000
const IDLE = 10_000
const MEGABYTE = 1_000_000
/** Each has a filter of its own, which no change matches: boxes north of all of them. */
const IDLE_PATH = "/api/stream?bbox=0.{n},89,1,90"

const CROWDED = "10,000 idle streams and 1,000 active"
const ACTIVE = "1,000 streams"
const NCHAN = "nchan, 1,000 subscribers"
const DURABLE = "@durable-streams/server in memory, 1,000 readers"

const cpuLabel = (label: string): string => `processor time a delivery: ${label}`
const p99Label = (label: string): string => `p99 from the append: ${label}`
export const RECEIVED_P99 = `p99 from the follower's receipt: ${CROWDED}`
export const MEMORY_PEAK = `memory at its peak: ${CROWDED}`
export const DELIVERY = cpuLabel(ACTIVE)
export { nchanIsInstalled } from "./nchan.ts"

/** The API alone, with streams to which nothing goes and streams to which everything goes. */
const startTidewire = async (idle: number): Promise<Contender & { readonly memory: () => ReadonlyArray<Measure> }> => {
  const server = await startStreamsServer()
  const unopened = memoryOf(server.pid, "RssAnon")
  forgetPeak(server.pid)
  const idlers = idle === 0 ? null : await openReaders({ ...server, count: idle, path: IDLE_PATH, isRead: true })
  const readers = await openReaders({ ...server, count: READERS, path: ALL_PATH, isRead: true })
  return {
    ...server,
    readers,
    pids: [server.pid],
    memory: () => [
      { label: MEMORY_PEAK, value: memoryOf(server.pid, "VmHWM") / MEGABYTE, unit: "MB" },
      { label: "of it anonymous, at the end", value: memoryOf(server.pid, "RssAnon") / MEGABYTE, unit: "MB" },
      { label: "anonymous before any stream", value: unopened / MEGABYTE, unit: "MB" },
    ],
    end: async () => {
      await idlers?.end()
      await readers.end()
      await server.end()
    },
  }
}

const measuresOf = (label: string, rounds: ReadonlyArray<Round>): ReadonlyArray<Measure> => {
  const measure = (text: string, of: (round: Round) => number, unit: string): Measure => ({
    label: text,
    value: median(rounds.map(of)),
    unit,
  })
  const isFollowed = rounds.every(({ sinceReceivedMs }) => sinceReceivedMs.length > 0)
  return [
    ...(isFollowed
      ? ([0.5, 0.99] as const).map((share) =>
          measure(
            `p${share * 100} from the follower's receipt: ${label}`,
            ({ sinceReceivedMs }) => percentile(sinceReceivedMs, share),
            "ms",
          ),
        )
      : []),
    measure(`p50 from the append: ${label}`, ({ sincePublishedMs }) => percentile(sincePublishedMs, 0.5), "ms"),
    measure(p99Label(label), ({ sincePublishedMs }) => percentile(sincePublishedMs, 0.99), "ms"),
    {
      ...measure(cpuLabel(label), ({ cpuMicrosEach }) => cpuMicrosEach, "us"),
      ...(label === NCHAN ? {} : { ratioTo: cpuLabel(NCHAN) }),
    },
  ]
}

/** What a change costs until every reader has it, beside the streams that wait, and beside other servers. */
export const measureDelivery = async (): Promise<ReadonlyArray<Measure>> => {
  const running: Array<Contender> = []
  const begin = async <Started extends Contender | undefined>(starting: Promise<Started>): Promise<Started> => {
    const started = await starting
    if (started !== undefined) running.push(started)
    return started
  }
  try {
    const crowded = await begin(startTidewire(IDLE))
    const contenders: Readonly<Record<string, Contender | undefined>> = {
      [CROWDED]: crowded,
      [ACTIVE]: await begin(startTidewire(0)),
      [NCHAN]: await begin(startNchan(READERS)),
      [DURABLE]: await begin(startDurable(READERS)),
    }
    const rounds = new Map<string, Array<Round>>()
    const turns = Object.fromEntries(
      Object.entries(contenders).map(([label, contender]) => [
        label,
        contender &&
          (async () => {
            const round = await carryOutRound(contender)
            rounds.set(label, [...(rounds.get(label) ?? []), round])
            return round.cpuMicrosEach
          }),
      ]),
    )
    // A warm-up round of all contenders.
    await interleaved(1, turns)
    rounds.clear()
    await interleaved(ROUNDS, turns)
    return [...crowded.memory(), ...[...rounds].flatMap(([label, found]) => measuresOf(label, found))]
  } finally {
    for (const one of running) await one.end()
  }
}
