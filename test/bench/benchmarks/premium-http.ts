import { type ChildProcess, fork } from "node:child_process"
import { once } from "node:events"
import { Pool } from "undici"
import { benchmark, type Measure, median, openLoop, openLoopMeasures, percentile } from "../benchmark.ts"

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

interface Server {
  readonly child: ChildProcess
  readonly address: string
  readonly path: string
  readonly token: string
}

const serve = async (which: Contender["server"]): Promise<Server> => {
  const child = fork(new URL("../premium-http/serve.ts", import.meta.url), [which])
  const ended = once(child, "exit").then(([code]) =>
    Promise.reject(new Error(`the ${which} server ended with ${code}`)),
  )
  const [message] = await Promise.race([once(child, "message"), ended])
  ended.catch(() => undefined)
  return { child, ...(message as Omit<Server, "child">) }
}

const cpuMicros = async ({ child }: Server): Promise<number> => {
  child.send("cpu")
  const [message] = await once(child, "message")
  return (message as { readonly cpuMicros: number }).cpuMicros
}

/** The result of one round of a contender. */
interface Round {
  readonly perSecond: number
  /** Latencies of the calls, in milliseconds, sorted. */
  readonly times: ReadonlyArray<number>
  /** Processor time of the server for one call, in microseconds. */
  readonly cpuMicrosEach: number
}

let keys = 0

/** Makes what sends one call. Any status but 200 is an error. */
const caller =
  (pool: Pool, { token, path }: Server, keyed: boolean) =>
  async (): Promise<void> => {
    const authorization = `Bearer ${token}`
    const headers = keyed ? { authorization, "idempotency-key": `bench-${keys++}` } : { authorization }
    const { statusCode, body } = await pool.request({ path, method: "GET", headers })
    await body.dump()
    if (statusCode !== 200) throw new Error(`answered with ${statusCode}`)
  }

/** Sends calls at the fixed rate, whether or not those before them are answered. */
const callAtPace = async (server: Server, label: string): Promise<ReadonlyArray<Measure>> => {
  const pool = new Pool(server.address, { connections: CONNECTIONS_MAX, pipelining: 1 })
  const before = await cpuMicros(server)
  const found = await openLoop(PACE, PACE_MS, caller(pool, server, false))
  const value = ((await cpuMicros(server)) - before) / found.times.length
  await pool.close()
  const cpu = { label: `processor time: ${atPace(label)}`, value, unit: "us/call" }
  return [
    ...openLoopMeasures(atPace(label), found),
    label === BARE ? cpu : { ...cpu, ratioTo: `processor time: ${atPace(BARE)}` },
  ]
}

/** Sends calls without pause, each caller on its own connection. Any status but 200 fails the run. */
const callFor = async (durationMs: number, callers: number, server: Server, keyed: boolean): Promise<Round> => {
  const pool = new Pool(server.address, { connections: callers, pipelining: 1 })
  const call = caller(pool, server, keyed)
  const times: Array<number> = []
  const before = await cpuMicros(server)
  const begun = performance.now()
  const callInTurn = async () => {
    while (performance.now() - begun < durationMs) {
      const sent = performance.now()
      await call()
      times.push(performance.now() - sent)
    }
  }
  await Promise.all(Array.from({ length: callers }, callInTurn))
  const tookMs = performance.now() - begun
  const cpuMicrosEach = ((await cpuMicros(server)) - before) / times.length
  await pool.close()
  return { perSecond: (times.length * 1000) / tookMs, times, cpuMicrosEach }
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
    { label: `processor time: ${contenders[0].label}, ${who(CALLERS[1])}`, of: "value", atMost: CALL_MICROS_MAX },
  ],
  profile:
    "Profile of the main thread at 500 calls a second (2026-11-23): 18 % is the ledger (two decisions, folds and sealed entries a call), 17 % HTTP in and out, 15 % the two transactions of LMDB, 12 % the collection of garbage, 11 % the loop of fibers, 10 % native code, 8 % the file lock that keeps an opening log and a commit apart, and 7 % the reply and its hash; signatures and flushes are on other threads. The 99th percentile is that of the calls which meet the marking of the heap: V8's helpers, the server and the load share two processors.",
  run: async () => {
    const [premium, bare] = await Promise.all([serve("premium"), serve("bare")])
    const servers = { premium, bare }
    try {
      const turns = contenders.flatMap((contender) => CALLERS.map((callers) => ({ contender, callers })))
      // A warm-up round of all contenders.
      for (const { contender, callers } of turns)
        await callFor(ROUND_MS, callers, servers[contender.server], contender.keyed)
      const found = new Map(turns.map((turn) => [turn, [] as Array<Round>]))
      for (let round = 0; round < ROUNDS; round++)
        for (const turn of [...turns.slice(round % turns.length), ...turns.slice(0, round % turns.length)]) {
          const { contender, callers } = turn
          found.get(turn)?.push(await callFor(ROUND_MS, callers, servers[contender.server], contender.keyed))
        }
      const paced = [await callAtPace(premium, contenders[0].label), await callAtPace(bare, BARE)]
      return [
        ...[...found].flatMap(([{ contender, callers }, rounds]) => measuresOf(contender, callers, rounds)),
        ...paced.flat(),
      ]
    } finally {
      for (const { child } of [premium, bare]) {
        const ended = once(child, "exit")
        child.disconnect()
        await ended
      }
    }
  },
})
