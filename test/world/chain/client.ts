import { randomBytes } from "node:crypto"
import type { Hex } from "viem"
import { eventually } from "../../support/eventually.ts"

// The HTTP calls of buyers and attackers.

/** A reply, decoded. */
export interface Reply {
  readonly status: number
  readonly headers: Headers
  readonly body: { readonly [key: string]: unknown }
  readonly text: string
}

/** A quote in a reply of the service. */
interface Quote {
  readonly memo: string
  readonly memoHash: Hex
  readonly units: number
  readonly credits: number
}

/** The proofs that a confirm shows. */
interface ShownProof {
  readonly memo?: string
  readonly signature?: Hex
  readonly payer?: Hex
  readonly token?: string
  /** Instead of the client's own, which is sent unless there is a memo or a token; null for none. */
  readonly claimKey?: string | null
  /** The day of the signed text; by default that of the last text of this client. */
  readonly signedUntil?: string
}

/** A user of the service, from an address and with a claim key of his own. */
export interface Client {
  readonly get: (path: string, token?: string, headers?: Readonly<Record<string, string>>) => Promise<Reply>
  readonly post: (path: string, body: unknown, token?: string) => Promise<Reply>
  /** A quote for so many dollars. Throws when it is refused. */
  readonly quote: (usd?: number) => Promise<Quote>
  readonly confirm: (transaction: string, shown?: ShownProof) => Promise<Reply>
  /** Confirms, and gives the token. Throws when the answer is not 200. */
  readonly token: (transaction: string, shown?: ShownProof) => Promise<string>
  /** The text that the payer has to sign. Throws when the service requires no signature. */
  readonly textToSign: (transaction: string, memo?: string, token?: string) => Promise<string>
  readonly balance: (token: string) => Promise<unknown>
  /** Calls an endpoint of one credit until it is charged: while the service is warming, calls are free. */
  readonly spendOne: (token: string) => Promise<Reply>
}

const TIMEOUT_MS = 30_000

/** Every memo, token and claim key of clients of this process: the secrets of buyers. */
export const disclosedSecrets: ReadonlySet<string> = new Set<string>()
/** Looks for such secrets in a text that did not come through a client, too. */
export const recordSecrets = (text: string): void => {
  for (const [secret] of text.matchAll(/tw_buy_[0-9a-f]{32}|svc_live_[0-9a-f]{64}|tw_claim_[0-9a-f]{64}/g))
    (disclosedSecrets as Set<string>).add(secret)
}

let clients = 0

/** A client of the service at an address. The service has to trust X-Forwarded-For from here. */
export const makeClient = (url: string): Client => {
  clients += 1
  // In a network and at a provider of its own, as confirms are limited by these too.
  const address = `${20 + (clients % 100)}.${Math.floor(clients / 100) % 256}.7.1`
  const ownKey = `tw_claim_${randomBytes(32).toString("hex")}`
  recordSecrets(ownKey)
  let until: string | undefined

  const send = async (path: string, init: RequestInit, token?: string): Promise<Reply> => {
    const headers = new Headers(init.headers)
    headers.set("x-forwarded-for", address)
    if (token !== undefined) headers.set("authorization", `Bearer ${token}`)
    const response = await fetch(new URL(path, url), { ...init, headers, signal: AbortSignal.timeout(TIMEOUT_MS) })
    const text = await response.text()
    recordSecrets(text)
    return { status: response.status, headers: response.headers, body: JSON.parse(text), text }
  }
  const post: Client["post"] = (path, body, token) =>
    send(path, { method: "POST", headers: { "content-type": "application/json" }, body: JSON.stringify(body) }, token)
  const confirm: Client["confirm"] = async (transaction, shown = {}) => {
    const { memo, signature, payer, token, signedUntil = until } = shown
    const claimKey = memo === undefined && token === undefined ? (shown.claimKey ?? ownKey) : undefined
    const reply = await post(
      "/api/payment/confirm",
      {
        tx_hash: transaction,
        ...(memo === undefined ? {} : { nonce: memo }),
        ...(signature === undefined ? {} : { signature, signature_until: signedUntil ?? null }),
        ...(claimKey === undefined ? {} : { claim_key: shown.claimKey === null ? null : claimKey }),
        ...(payer === undefined ? {} : { payer }),
      },
      token,
    )
    if (typeof reply.body.signature_until === "string") until = reply.body.signature_until
    return reply
  }
  const only = (reply: Reply, status: number): Reply["body"] => {
    if (reply.status !== status) throw new Error(`${reply.status} instead of ${status}: ${reply.text}`)
    return reply.body
  }
  const get: Client["get"] = (path, token, headers = {}) => send(path, { headers }, token)
  return {
    get,
    spendOne: (token) =>
      eventually("a call that is charged", async () => {
        const reply = await get("/api/pro/briefing", token)
        only(reply, 200)
        return reply.headers.get("x-credits-charged") === "1" ? reply : undefined
      }),
    post,
    confirm,
    quote: async (usd = 1) => {
      const { memo, quote } = only(await post("/api/payment/buy-credits", { amount_usd: usd }), 200) as {
        readonly memo: string
        readonly quote: { readonly amount_units: string; readonly memo_hash: Hex; readonly credits: number }
      }
      return { memo, memoHash: quote.memo_hash, units: Number(quote.amount_units), credits: quote.credits }
    },
    token: async (transaction, shown) => String(only(await confirm(transaction, shown), 200).token),
    textToSign: async (transaction, memo, bearer) => {
      const shown = { ...(memo === undefined ? {} : { memo }), ...(bearer === undefined ? {} : { token: bearer }) }
      return String(only(await confirm(transaction, shown), 409).text_to_sign)
    },
    balance: async (token) => only(await send("/api/payment/balance", {}, token), 200).credits,
  }
}
