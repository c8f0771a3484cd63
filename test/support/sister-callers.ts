import { DIGEST_PATH } from "../sister/sister.ts"
import { type Callers, runCallers, wasRefused } from "./callers.ts"

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
interface SisterReply {
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

/** Calls the sister service without pause, one call of each caller at a time; see `runCallers`. */
export const startSisterCallers = (
  url: string,
  count: number,
  next: (caller: number, turn: number) => SisterCall,
): Callers<SisterOutcome> =>
  runCallers({
    count,
    next: (caller, turn) => [next(caller, turn)],
    ask: (call) => askSister(url, call),
    isServed: ({ status }) => status === 200,
    pauseMs: PAUSE_MS,
  })
