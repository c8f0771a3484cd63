import { hash } from "node:crypto"
import { makeVerifier, type VerifiedClaims } from "../../ledger/receipts/verify.ts"
import { type Callers, runCallers, wasRefused } from "./callers.ts"

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

/** Sends premium calls without pause; see `runCallers`. */
export const startCallers = (
  url: string,
  count: number,
  next: (caller: number, turn: number) => ReadonlyArray<PremiumCall>,
): Callers<CallOutcome> =>
  runCallers({
    count,
    next,
    ask: (call) => askPremium(url, call),
    isServed: ({ reply }) => reply !== null,
    pauseMs: PAUSE_MS,
  })

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
