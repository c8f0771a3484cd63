import { Pool } from "undici"
import { openLoop } from "../benchmark.ts"

// The callers, in a process of their own with V8's own heap: with the small one of the service, which the benchmarks share,
// their own collections would show in the latencies. Answers each message, a `Load`, with a `LoadResult`.

/** The calls to send: without pause by so many callers, or so many a second. */
export interface Load {
  readonly address: string
  readonly path: string
  readonly token: string
  /** Whether each call has its own Idempotency-Key. */
  readonly keyed: boolean
  readonly durationMs: number
  readonly connections: number
  /** Calls a second, whether or not those before are answered; null: each caller sends its next when it is answered. */
  readonly pace: number | null
}

export interface LoadResult {
  /** Latencies in milliseconds. */
  readonly times: ReadonlyArray<number>
  readonly dropped: number
  readonly tookMs: number
}

let keys = 0

/** Makes what sends one call. Any status but 200 is an error. */
const caller =
  (pool: Pool, { token, path, keyed }: Load) =>
  async (): Promise<void> => {
    const authorization = `Bearer ${token}`
    const headers = keyed ? { authorization, "idempotency-key": `bench-${process.pid}-${keys++}` } : { authorization }
    const { statusCode, body } = await pool.request({ path, method: "GET", headers })
    await body.dump()
    if (statusCode !== 200) throw new Error(`answered with ${statusCode}`)
  }

/** Sends calls without pause, each caller on its own connection. */
const callInTurns = async (call: () => Promise<void>, { connections, durationMs }: Load): Promise<LoadResult> => {
  const times: Array<number> = []
  const begun = performance.now()
  const callInTurn = async () => {
    while (performance.now() - begun < durationMs) {
      const sent = performance.now()
      await call()
      times.push(performance.now() - sent)
    }
  }
  await Promise.all(Array.from({ length: connections }, callInTurn))
  return { times, dropped: 0, tookMs: performance.now() - begun }
}

const carryOut = async (load: Load): Promise<LoadResult> => {
  const pool = new Pool(load.address, { connections: load.connections, pipelining: 1 })
  const call = caller(pool, load)
  try {
    if (load.pace === null) return await callInTurns(call, load)
    return { ...(await openLoop(load.pace, load.durationMs, call)), tookMs: load.durationMs }
  } finally {
    await pool.close()
  }
}

// A failed call ends the process, and so the benchmark.
process.on("message", async (load: Load) => process.send?.(await carryOut(load)))
