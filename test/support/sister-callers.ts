import { setTimeout as sleep } from "node:timers/promises"
import { DIGEST_PATH } from "../sister/sister.ts"

/** One call of the sister service. */
export interface SisterCall {
  readonly account: string
  readonly token: string
  /** Idempotency-Key; null to send none. */
  readonly key: string | null
  /** An empty text costs nothing. */
  readonly text: string
}

/** A reply of the sister service with status 200. */
export interface SisterReply {
  readonly reservation_id: string
  readonly credits_charged: number
  readonly credits_remaining: number
  readonly digest: string | null
}

/** The outcome of a call that reached the process. `status: null`: there was no whole reply. */
export interface SisterOutcome {
  readonly call: SisterCall
  readonly status: number | null
  readonly reply: SisterReply | null
  readonly error: string | null
}

const TIMEOUT_MS = 30_000
const PAUSE_MS = 100

const wasRefused = (error: unknown): boolean =>
  error instanceof Error && error.cause instanceof Error && "code" in error.cause && error.cause.code === "ECONNREFUSED"

/** Calls the sister service once; null if the connection was refused. Never rejects. */
export const askSister = async (url: string, call: SisterCall): Promise<SisterOutcome | null> => {
  try {
    const response = await fetch(`${url}${DIGEST_PATH}?text=${call.text}`, {
      headers: {
        authorization: `Bearer ${call.token}`,
        ...(call.key === null ? {} : { "idempotency-key": call.key }),
      },
      signal: AbortSignal.timeout(TIMEOUT_MS),
    })
    const body = (await response.json()) as SisterReply & { readonly error?: string }
    const { status } = response
    return { call, status, reply: status === 200 ? body : null, error: body.error ?? null }
  } catch (error) {
    return wasRefused(error) ? null : { call, status: null, reply: null, error: null }
  }
}

/** Running callers. */
export interface SisterCallers {
  /** Succeeds after so many replies with status 200. */
  readonly answered: (count: number) => Promise<void>
  /** Stops them, and gives every call that reached the process. */
  readonly stop: () => Promise<ReadonlyArray<SisterOutcome>>
}

/** Calls without pause: each caller makes `next(caller, turn)`, waits for the outcome, and goes on. */
export const startSisterCallers = (
  url: string,
  count: number,
  next: (caller: number, turn: number) => SisterCall,
): SisterCallers => {
  const outcomes: Array<SisterOutcome> = []
  let stopped = false
  let answers = 0
  let reached: { readonly count: number; readonly resolve: () => void } | null = null
  const callers = Array.from({ length: count }, async (_, caller) => {
    for (let turn = 0; !stopped; turn++) {
      const one = await askSister(url, next(caller, turn))
      if (one !== null) outcomes.push(one)
      if (one?.status === 200) answers += 1
      else await sleep(PAUSE_MS)
      if (reached !== null && answers >= reached.count) reached.resolve()
    }
  })
  return {
    answered: (wanted) =>
      new Promise((resolve) => {
        reached = { count: wanted, resolve }
        if (answers >= wanted) resolve()
      }),
    stop: async () => {
      stopped = true
      await Promise.all(callers)
      return outcomes
    },
  }
}
