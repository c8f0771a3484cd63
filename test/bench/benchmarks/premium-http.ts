import { benchmark, type Measure, median, openLoopMeasures, percentile } from "../benchmark.ts"
import { put, type Server, serve, startLoad } from "../premium-http/processes.ts"
import { endAll, type Started } from "../processes.ts"

const ROUNDS = 3
const ROUND_MS = 1_000
const CALLERS = [1, 64] as const

/** The contenders: the server, and whether each call has its own Idempotency-Key. */
const contenders = [
  { label: "premium call", server: "premium", keyed: false },
  { label: "premium call with an Idempotency-Key", server: "premium", keyed: true },
  { label: "bare Fastify route, such a body and headers", server: "bare", keyed: false },
] as const
type Contender = (typeof contenders)[number]
const BARE = contenders[2].label

/** The open loop: calls a second, on at most so many connections at once. */
const PACE = 500
const PACE_MS = 20_000
const CONNECTIONS_MAX = 256
const atPace = (label: string): string => `${label}, ${PACE} a second`
const PACED = atPace(contenders[0].label)
/** Half of what a call with many callers took when it was first measured. */
const CALL_MICROS_MAX = 207
/** Major collections of all calls of the open loop: 27 while each call's generators kept what they captured until the next one. */
const MAJOR_COLLECTIONS_MAX = 8
const collectionsOf = (label: string): string => `major collections: ${atPace(label)}`

/** The result of one round of a contender. */
interface Round {
  readonly perSecond: number
  /** Latencies of the calls in milliseconds. */
  readonly times: ReadonlyArray<number>
  /** Processor time of the server for one call, in microseconds. */
  readonly cpuMicrosEach: number
}

/** Sends calls at the fixed rate, whether or not those before them are answered. */
const callAtPace = async (client: Started, server: Server, label: string): Promise<ReadonlyArray<Measure>> => {
  const load = { keyed: false, durationMs: PACE_MS, connections: CONNECTIONS_MAX, pace: PACE }
  const { cpuMicros, majorCollections, ...found } = await put(client, server, load)
  const cpu = { label: `processor time: ${atPace(label)}`, value: cpuMicros / found.times.length, unit: "us/call" }
  return [
    ...openLoopMeasures(atPace(label), found),
    label === BARE ? cpu : { ...cpu, ratioTo: `processor time: ${atPace(BARE)}` },
    { label: collectionsOf(label), value: majorCollections, unit: `in ${(PACE * PACE_MS) / 1000} calls` },
  ]
}

/** Sends calls without pause. Any status but 200 fails the run. */
const callFor = async (client: Started, callers: number, server: Server, keyed: boolean): Promise<Round> => {
  const load = { keyed, durationMs: ROUND_MS, connections: callers, pace: null }
  const { times, tookMs, cpuMicros } = await put(client, server, load)
  return { perSecond: (times.length * 1000) / tookMs, times, cpuMicrosEach: cpuMicros / times.length }
}

const who = (callers: number): string => (callers === 1 ? "1 caller" : `${callers} callers`)

const measuresOf = ({ label }: Contender, callers: number, rounds: ReadonlyArray<Round>): ReadonlyArray<Measure> => {
  const measure = (what: string, unit: string, of: (round: Round) => number, baseline = true): Measure => ({
    label: `${what}${label}, ${who(callers)}`,
    value: median(rounds.map(of)),
    unit,
    ...(baseline && label !== BARE ? { ratioTo: `${what}${BARE}, ${who(callers)}` } : {}),
  })
  return [
    measure("", "calls/s", ({ perSecond }) => perSecond),
    measure("p50: ", "ms", ({ times }) => percentile(times, 0.5), false),
    measure("p99: ", "ms", ({ times }) => percentile(times, 0.99), false),
    measure("processor time: ", "us/call", ({ cpuMicrosEach }) => cpuMicrosEach),
  ]
}

/** A premium call over HTTP: authenticated, debited, built, signed, settled, answered; two flushes before the reply. */
export const premiumHttp = benchmark({
  name: "premium-http",
  title: "GET /api/pro/briefing on one token, ledger on the embedded log",
  budget: [
    { label: `dropped: ${PACED}`, of: "value", atMost: 0 },
    { label: `p99: ${PACED}`, of: "value", atMost: 25 },
    { label: collectionsOf(contenders[0].label), of: "value", atMost: MAJOR_COLLECTIONS_MAX },
    { label: `processor time: ${contenders[0].label}, ${who(CALLERS[1])}`, of: "value", atMost: CALL_MICROS_MAX },
  ],
  profile:
    "Profile of the main thread at 500 calls a second (2026-11-23, when collecting garbage still took 12 %): 18 % is the ledger (two decisions, folds and sealed entries a call), 17 % HTTP in and out, 15 % the two transactions of LMDB, 11 % the loop of fibers, 10 % native code, 8 % the file lock that keeps an opening log and a commit apart, and 7 % the reply and its hash; signatures and flushes are on other threads.",
  run: async () => {
    const [premium, bare] = await Promise.all([serve("premium"), serve("bare")])
    const client = startLoad()
    const servers = { premium, bare }
    try {
      const turns = contenders.flatMap((contender) => CALLERS.map((callers) => ({ contender, callers })))
      // A warm-up round of all contenders.
      for (const { contender, callers } of turns)
        await callFor(client, callers, servers[contender.server], contender.keyed)
      const found = new Map(turns.map((turn) => [turn, [] as Array<Round>]))
      for (let round = 0; round < ROUNDS; round++)
        for (const turn of [...turns.slice(round % turns.length), ...turns.slice(0, round % turns.length)]) {
          const { contender, callers } = turn
          found.get(turn)?.push(await callFor(client, callers, servers[contender.server], contender.keyed))
        }
      const paced = [await callAtPace(client, premium, contenders[0].label), await callAtPace(client, bare, BARE)]
      return [
        ...[...found].flatMap(([{ contender, callers }, rounds]) => measuresOf(contender, callers, rounds)),
        ...paced.flat(),
      ]
    } finally {
      await endAll([client, premium, bare])
    }
  },
})
