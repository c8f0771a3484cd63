import { randomUUID } from "node:crypto"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Scope from "effect/Scope"
import type { FastifyInstance } from "fastify"
import { onTestFinished } from "vitest"
import { makeRail } from "../../api/internal/rail.ts"
import { bodyHashOf, signRequest } from "../../infra/signing/request-signature.ts"
import type { EdgeLimits } from "../../infra/signing/signed-route.ts"
import { buildRail } from "../../infra/sister/server.ts"
import { type LedgerClient, tokenHashOf } from "../../ledger/client.ts"
import { openLedger } from "../../ledger/write/writer.ts"
import { buyingTermsOf } from "../../schemas/contract/refusal.ts"
import { SISTER_EDGE, SISTER_PATHS, type SisterOperation } from "../../schemas/sister-rail.ts"
import { NOON_MS } from "../conformance/ledger/given.ts"
import { type MemoryLog, makeMemoryLog } from "../support/memory-log.ts"

export const SECRET = "the secret of the sister service"
export const EARLIER_SECRET = "the earlier secret of the sister"
export const TOKEN = `svc_live_${"7".repeat(64)}`
export const OTHER_TOKEN = `svc_live_${"8".repeat(64)}`

/** A request as it goes over a wire: a listener may send it again, or change it. */
export interface OnTheWire {
  readonly method: "POST" | "GET" | "PUT"
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly payload: string
}

/** How a request is signed, where it differs from a good one. */
export interface Signing {
  readonly secret?: string
  readonly edge?: string
  readonly method?: string
  readonly path?: string
  readonly atMs?: number
  readonly nonce?: string
  readonly receiver?: string
}

/** A reply. */
export interface Answered {
  readonly status: number
  readonly body: Readonly<Record<string, unknown>>
  readonly text: string
  readonly headers: Readonly<Record<string, unknown>>
}

/** The rail over a real ledger in memory, on a clock that stands still until it is moved. */
export interface RailScene {
  readonly app: FastifyInstance
  readonly ledger: LedgerClient
  readonly memory: MemoryLog
  /** What was logged as a fault. */
  readonly faults: ReadonlyArray<unknown>
  readonly pass: (ms: number) => void
  readonly sign: (operation: SisterOperation, body: object | string, signing?: Signing) => Promise<OnTheWire>
  readonly deliver: (wire: OnTheWire, from?: string) => Promise<Answered>
  /** Signs and delivers. */
  readonly ask: (operation: SisterOperation, body: object | string) => Promise<Answered>
  /** Status and reason of a refused signature, or status and error. */
  readonly outcome: (wire: OnTheWire, from?: string) => Promise<string>
  readonly balance: (token?: string) => Promise<number>
}

const grant = (account: string, token: string, credits: number) => ({
  _tag: "grant" as const,
  account,
  credits,
  operator: "jane",
  reason: "for a test",
  payment: null,
  token: { claimant: `grant/${account}`, origin: account, generation: 1, kid: "k1", hash: tokenHashOf(token) },
})

/** Opens a rail for one test; accounts `a` and `b` have 50 credits each. */
export const railScene = async (
  limits: EdgeLimits = {},
  wrap: (ledger: LedgerClient) => LedgerClient = (ledger) => ledger,
): Promise<RailScene> => {
  const scope = Scope.makeUnsafe()
  const memory = makeMemoryLog()
  let nowMs = NOON_MS
  const ledger = await Effect.runPromise(openLedger({ log: memory.log, nowMs: () => nowMs }).pipe(Scope.provide(scope)))
  await Effect.runPromise(ledger.submit(grant("a", TOKEN, 50)))
  await Effect.runPromise(ledger.submit(grant("b", OTHER_TOKEN, 50)))
  const faults: Array<unknown> = []
  const app = buildRail({
    rail: makeRail({ ledger: wrap(ledger), terms: buyingTermsOf([], "https://tidewire.example") }),
    secrets: [SECRET, EARLIER_SECRET],
    onFault: (error) => void faults.push(error),
    limits: { nowMs: () => nowMs, ...limits },
  })
  onTestFinished(async () => {
    await app.close()
    await Effect.runPromise(Scope.close(scope, Exit.void))
  })

  const receiver = async (path: string): Promise<string> =>
    (await app.inject({ method: "POST", url: path })).json<{ receiver: string }>().receiver
  const sign: RailScene["sign"] = async (operation, body, signing = {}) => {
    const url = SISTER_PATHS[operation]
    const { secret = SECRET, edge = SISTER_EDGE, method = "POST", path = url, ...stated } = signing
    const payload = typeof body === "string" ? body : JSON.stringify(body)
    const facts = { atMs: nowMs, nonce: randomUUID(), ...stated, bodyHash: bodyHashOf(payload) }
    const whole = { ...facts, receiver: stated.receiver ?? (await receiver(url)) }
    const authorization = signRequest(secret, { edge, method, path }, whole)
    return { method: "POST", url, headers: { "content-type": "application/json", authorization }, payload }
  }
  const deliver: RailScene["deliver"] = async (wire, from = "192.0.2.1") => {
    const reply = await app.inject({ ...wire, remoteAddress: from })
    return { status: reply.statusCode, body: reply.json(), text: reply.body, headers: reply.headers }
  }
  return {
    app,
    ledger,
    memory,
    faults,
    pass: (ms) => {
      nowMs += ms
    },
    sign,
    deliver,
    ask: async (operation, body) => deliver(await sign(operation, body)),
    outcome: async (wire, from) => {
      const { status, body } = await deliver(wire, from)
      return status === 200 ? "200" : `${status} ${body.reason ?? body.error}`
    },
    balance: async (token = TOKEN) => {
      const { answer } = await Effect.runPromise(
        ledger.submit({ _tag: "readAccount", by: { token: tokenHashOf(token) } }),
      )
      return answer.balance
    },
  }
}
