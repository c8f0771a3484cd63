import { hash } from "node:crypto"
import { setTimeout as sleep } from "node:timers/promises"
import { makeVerifier, type VerifiedClaims } from "../../ledger/receipts/verify.ts"

/** One kind of premium call. */
export interface PremiumCall {
  readonly path: string
  readonly token: string
  /** The account of the token. */
  readonly account: string
  /** Idempotency-Key; null to send none. */
  readonly key: string | null
}

/** A complete reply with status 200, and its receipt. */
export interface PremiumReply {
  readonly call: PremiumCall
  /** Its bytes; `forgetBody` keeps only their hash. */
  readonly body: Buffer
  /** SHA-256 of the body. */
  readonly bodyHash: string
  readonly charged: number
  readonly remaining: number
  /** The reason why it was free of charge; null if it was charged, also for a replay under its key. */
  readonly reason: string | null
  /** True for a replay of an earlier reply under its key. */
  readonly replayed: boolean
  readonly receiptId: string
  readonly jws: string
}

/** The outcome of one request. `reply: null` with a status: the status was not 200. */
export interface CallOutcome {
  readonly call: PremiumCall
  /** Null if there was no complete reply. */
  readonly status: number | null
  readonly reply: PremiumReply | null
  /** The error code of a reply with another status than 200. */
  readonly error: string | null
}

interface PremiumBody {
  readonly error?: string
  readonly billing: { readonly credits_charged: number; readonly no_charge_reason?: string }
  readonly receipt: { readonly id: string; readonly jws: string }
}

const TIMEOUT_MS = 30_000
const PAUSE_MS = 20

/** Tests whether the connection was refused, so that the request reached no process. */
const wasRefused = (error: unknown): boolean =>
  error instanceof Error &&
  typeof error.cause === "object" &&
  error.cause !== null &&
  "code" in error.cause &&
  error.cause.code === "ECONNREFUSED"

/** Sends one request; null if the connection was refused. Never rejects. */
export const askPremium = async (url: string, call: PremiumCall): Promise<CallOutcome | null> => {
  try {
    const response = await fetch(new URL(call.path, url), {
      headers: {
        authorization: `Bearer ${call.token}`,
        ...(call.key === null ? {} : { "idempotency-key": call.key }),
      },
      signal: AbortSignal.timeout(TIMEOUT_MS),
    })
    const body = Buffer.from(await response.arrayBuffer())
    const { status, headers } = response
    const decoded: PremiumBody = JSON.parse(body.toString())
    if (status !== 200) return { call, status, reply: null, error: decoded.error ?? null }
    const reply: PremiumReply = {
      call,
      body,
      bodyHash: hash("sha256", body, "hex"),
      charged: Number(headers.get("x-credits-charged")),
      remaining: Number(headers.get("x-credits-remaining")),
      reason: decoded.billing.no_charge_reason ?? null,
      replayed: headers.get("idempotent-replayed") === "true",
      receiptId: headers.get("x-service-receipt-id") ?? "",
      jws: decoded.receipt.jws,
    }
    return { call, status, reply, error: null }
  } catch (error) {
    return wasRefused(error) ? null : { call, status: null, reply: null, error: null }
  }
}

const NOTHING = Buffer.alloc(0)

/** Drops the bytes of the reply, as many outcomes are kept for long. */
export const forgetBody = (outcomes: CallOutcome): CallOutcome =>
  outcomes.reply === null ? outcomes : { ...outcomes, reply: { ...outcomes.reply, body: NOTHING } }

/** Running callers. */
export interface Callers {
  /** Succeeds after so many replies with status 200. */
  readonly answered: (count: number) => Promise<void>
  /** Stops them, and gives every request that reached a process. */
  readonly stop: () => Promise<ReadonlyArray<CallOutcome>>
}

/**
 * Sends calls without pause: caller `n` sends all of `next(n, 0)` at once, waits for their outcomes, then sends `next(n, 1)`,
 * and so on. Failures are expected, as the process is being killed.
 */
export const startCallers = (
  url: string,
  count: number,
  next: (caller: number, turn: number) => ReadonlyArray<PremiumCall>,
): Callers => {
  const outcomes: Array<CallOutcome> = []
  let stopped = false
  let answers = 0
  let reached: { readonly count: number; readonly resolve: () => void } | null = null
  const call = async (call: PremiumCall): Promise<boolean> => {
    const one = await askPremium(url, call)
    if (one === null) return false
    outcomes.push(one)
    if (one.reply !== null) answers += 1
    if (reached !== null && answers >= reached.count) reached.resolve()
    return one.reply !== null
  }
  const callers = Array.from({ length: count }, async (_, caller) => {
    for (let turn = 0; !stopped; turn++) {
      const served = await Promise.all(next(caller, turn).map(call))
      if (!served.includes(true)) await sleep(PAUSE_MS)
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

/** Verifies receipts with their replies, by public keys only. Throws if one is not valid, or has another id. */
export const receiptReader = async (jwks: unknown): Promise<(reply: PremiumReply) => Promise<VerifiedClaims>> => {
  const verify = await makeVerifier(jwks)
  return async ({ jws, body, receiptId }) => {
    const { valid, reason, claims } = await verify(jws, JSON.parse(body.toString()))
    if (!valid || claims === null) throw new Error(`a receipt is not valid: ${reason}`)
    if (claims.id !== receiptId) throw new Error(`receipt ${claims.id} is called ${receiptId}`)
    return claims
  }
}
