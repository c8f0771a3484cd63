import { randomUUID } from "node:crypto"
import * as Effect from "effect/Effect"
import Fastify, { type FastifyInstance } from "fastify"
import { afterEach, beforeEach, describe, expect, it } from "vitest"
import type { LedgerClient, Payments } from "../../ledger/client.ts"
import type { Command } from "../../ledger/command.ts"
import { DEMAND_EDGE, DEMAND_PATH, demandRoutes } from "../demand/http.ts"
import type { Observe } from "../demand/observe.ts"
import { bodyHashOf, SIGNATURE_WINDOW_MS, signRequest } from "../signing/request-signature.ts"
import { FAILED_TRIES_MAX } from "../signing/signed-route.ts"
import { ledgerRoutes } from "./routes.ts"
import { CLAIM_PATH, edges, writeClaim } from "./wire.ts"

const NOW_MS = 1_790_000_000_000
const SHA = "a".repeat(64)
const WORD = `0x${"b".repeat(64)}`
const ADDRESS = `0x${"c".repeat(40)}`
const secrets = { demand: "the secret of demands", api: "the secret of the api", operator: "the secret of operators" }
const EARLIER_API = "the earlier secret of the api"
const NONCES_MAX = 50

/** One of every command that the ledger knows: also those that no other process may send. */
const commands: { readonly [Tag in Command["_tag"]]: unknown } = {
  issueQuote: { askedCents: 100, memoHash: WORD, tail: 417, client: { address: "a", network: "n", provider: "p" } },
  confirm: {
    memoHash: WORD,
    signer: ADDRESS,
    claimKeyHash: SHA,
    signedUntil: "2026-08-24",
    bearer: null,
    transaction: { chainId: 8453, hash: WORD, transfers: [] },
    newAccount: "a",
    token: null,
  },
  readClaimant: { memoHash: WORD, bearer: null },
  observe: { payment: { chainId: 8453, transaction: WORD, position: 0 }, seen: null },
  revoke: { token: SHA, confirmed: true },
  debit: { token: SHA, credits: 1, purpose: "/x", debit: "d", mayEndFree: false, idempotency: null },
  settle: { debit: "d", noChargeReason: null },
  refund: { debit: "d", operator: null },
  reserve: { token: SHA, credits: 3, endpoint: "scan/domain", reservation: "r-1" },
  endReservation: { reservation: "r-1", charged: true },
  refundOrphans: {},
  grant: { account: "a", credits: 5, operator: "jane", reason: "why", payment: null, token: null },
  acceptClock: { operator: "jane", reason: "why" },
  reissue: { account: "a", operator: "jane", reason: "why", token: null },
  listAccounts: { after: -1 },
  readAccount: { by: { token: SHA } },
  readAttempt: { token: SHA, idempotency: { key: SHA, request: SHA } },
  listUnfinal: { after: null },
  doubt: { payment: { chainId: 8453, transaction: WORD, position: 0 }, blockHash: WORD, head: 9 },
  trust: { payment: { chainId: 8453, transaction: WORD, position: 0 }, blockHash: WORD },
}
const variants: ReadonlyArray<{ readonly what: string; readonly command: object }> = [
  ...Object.entries(commands).map(([_tag, fields]) => ({ what: _tag, command: { _tag, ...Object(fields) } })),
  {
    what: "refund by an operator",
    command: { _tag: "refund", debit: "d", operator: { name: "jane", note: "why" } },
  },
  { what: "readAccount by its id", command: { _tag: "readAccount", by: { account: "a" } } },
]
const taken = {
  api: [
    ...["issueQuote", "revoke", "debit", "settle", "refund", "reserve", "endReservation"],
    ...["readAccount", "readAttempt"],
  ],
  operator: ["grant", "acceptClock", "reissue", "listAccounts", "refund by an operator", "readAccount by its id"],
}

/** What came through. */
let done: Array<unknown>
let nowMs: number
let app: FastifyInstance

beforeEach(async () => {
  done = []
  nowMs = NOW_MS
  const client: LedgerClient = {
    submit: (command) => {
      done.push(command)
      return Effect.fail({ _tag: "unknown_account" } as const)
    },
  }
  const payments: Payments = {
    facts: { name: "Base", chainId: 8453, contract: ADDRESS, wallet: ADDRESS, trust: null },
    claim: (claim) =>
      Effect.sync(() => {
        done.push(claim)
        return { _tag: "unknown_transaction" } as const
      }),
  }
  const observe: Observe = (request) =>
    Effect.sync(() => {
      done.push(request)
      return []
    })
  app = Fastify()
  const limits = { nowMs: () => nowMs, noncesMax: NONCES_MAX }
  await app.register(
    ledgerRoutes({
      holder: { client, active: () => true },
      payments,
      secrets: { api: [secrets.api, EARLIER_API], operator: [secrets.operator] },
      limits,
    }),
  )
  await app.register(demandRoutes(() => observe, [secrets.demand], limits))
})
afterEach(() => app.close())

interface Sent {
  readonly edge: string
  readonly path: string
  readonly secret: string
  readonly body: string
}
/** What goes over a wire: a listener has it whole, and may send it again or change it. */
interface OnTheWire {
  readonly method: "POST"
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly payload: string
}

const claim = {
  txHash: WORD,
  memo: "tw_buy_00112233445566778899aabbccddeeff",
  signature: null,
  signedUntil: "2026-08-24",
  claimKey: `tw_claim_${SHA}`,
  claimKeyHash: null,
  payer: null,
  service: "tidewire.example",
  bearer: null,
  newAccount: "a",
  token: null,
}
/** One good request of each edge and route. */
const good = {
  demand: {
    edge: DEMAND_EDGE,
    path: DEMAND_PATH,
    secret: secrets.demand,
    body: JSON.stringify({ feed: "weather", parameters: {} }),
  },
  api: {
    edge: edges.api.name,
    path: edges.api.path,
    secret: secrets.api,
    body: JSON.stringify({ commands: [variants.find(({ what }) => what === "debit")?.command] }),
  },
  claim: { edge: edges.api.name, path: CLAIM_PATH, secret: secrets.api, body: writeClaim(claim, secrets.api) },
  operator: {
    edge: edges.operator.name,
    path: edges.operator.path,
    secret: secrets.operator,
    body: JSON.stringify({ commands: [variants.find(({ what }) => what === "grant")?.command] }),
  },
} satisfies Record<string, Sent>
const goodOnes = Object.entries(good).map(([name, sent]): { name: string; sent: Sent } => ({ name, sent }))

const receiverOf = async (path: string): Promise<string> => {
  const { receiver } = (await app.inject({ method: "POST", url: path })).json()
  return receiver
}
const sign = async (
  sent: Sent,
  stated: { atMs?: number; nonce?: string; receiver?: string } = {},
): Promise<OnTheWire> => {
  const receiver = stated.receiver ?? (await receiverOf(sent.path))
  const whole = { atMs: nowMs, nonce: randomUUID(), ...stated, receiver, bodyHash: bodyHashOf(sent.body) }
  const authorization = signRequest(sent.secret, { edge: sent.edge, method: "POST", path: sent.path }, whole)
  return {
    method: "POST",
    url: sent.path,
    headers: { "content-type": "application/json", authorization },
    payload: sent.body,
  }
}
const deliver = async (wire: OnTheWire): Promise<string> => {
  const reply = await app.inject({ ...wire, remoteAddress: "192.0.2.1" })
  return reply.statusCode === 401 || reply.statusCode === 429
    ? `${reply.statusCode} ${reply.json().reason}`
    : String(reply.statusCode)
}

describe.each(goodOnes)("the edge of $name", ({ sent }) => {
  it("takes what is signed with its secret, once", async () => {
    const wire = await sign(sent)
    expect(await deliver(wire)).toBe("200")
    expect(await deliver(wire)).toBe("401 replayed")
    expect(done).toHaveLength(1)
  })

  it("takes nothing that is signed with the secret of another edge, or shows its own as a bearer token", async () => {
    for (const secret of Object.values(secrets).filter((other) => other !== sent.secret))
      expect(await deliver(await sign({ ...sent, secret }))).toBe("401 wrong")
    const wire = await sign(sent)
    const bearer = { ...wire, headers: { ...wire.headers, authorization: `Bearer ${sent.secret}` } }
    expect(await deliver(bearer)).toBe("401 unsigned")
    expect(done).toEqual([])
  })

  it("takes nothing that was signed for another edge or path, though the secret were the same", async () => {
    for (const other of goodOnes.map((one) => one.sent).filter(({ path }) => path !== sent.path)) {
      const foreign = await sign(
        { ...other, secret: sent.secret, body: sent.body },
        { receiver: await receiverOf(sent.path) },
      )
      expect(await deliver({ ...foreign, url: sent.path })).toBe("401 wrong")
    }
    expect(await deliver({ ...(await sign(sent)), url: `${sent.path}?again` })).toBe("401 wrong")
    expect(done).toEqual([])
  })

  it("takes nothing that is too old or too new, and nothing that was meant for another process", async () => {
    for (const off of [SIGNATURE_WINDOW_MS + 1, -SIGNATURE_WINDOW_MS - 1])
      expect(await deliver(await sign(sent, { atMs: nowMs + off }))).toBe("401 stale")
    expect(await deliver(await sign(sent, { receiver: "-" }))).toBe("401 receiver")
    expect(await deliver(await sign(sent, { receiver: "another-process" }))).toBe("401 receiver")
    expect(done).toEqual([])
  })

  it("takes no body but the signed one", async () => {
    const wire = await sign(sent)
    expect(await deliver({ ...wire, payload: `${wire.payload} ` })).toBe("401 altered")
    expect(await deliver({ ...(await sign(sent)), payload: "" })).toBe("401 altered")
    expect(done).toEqual([])
  })

  it("limits wrong secrets of an address to some in a minute, and never a valid signature", async () => {
    const wrong = { ...sent, secret: "a guess" }
    for (let tried = 0; tried < FAILED_TRIES_MAX; tried++) expect(await deliver(await sign(wrong))).toBe("401 wrong")
    expect(await deliver(await sign(wrong))).toBe("429 limited")
    expect(await deliver(await sign(sent))).toBe("200")
    expect(await deliver(await sign(wrong))).toBe("429 limited")
    const elsewhere = await app.inject({ ...(await sign(wrong)), remoteAddress: "192.0.2.2" })
    expect(elsewhere.statusCode).toBe(401)
  })

  it("remembers so many nonces, and then takes a new name, under which nothing earlier holds", async () => {
    const first = await sign(sent)
    expect(await deliver(first)).toBe("200")
    for (let count = 1; count <= NONCES_MAX; count++) expect(await deliver(await sign(sent))).toBe("200")
    expect(await deliver(first)).toBe("401 receiver")
    expect(await deliver(await sign(sent))).toBe("200")
    // A clock that steps back brings nothing back either.
    nowMs -= 1_000
    expect(await deliver(first)).toBe("401 receiver")
    expect(done).toHaveLength(NONCES_MAX + 2)
  })

  it("refuses what is no request, though it is signed", async () => {
    for (const body of ["", "{", "null", "[]", '{"commands":7}'])
      expect(await deliver(await sign({ ...sent, body }))).toBe("400")
    const large = `"${"x".repeat(5 * 1024 * 1024)}"`
    expect(await deliver(await sign({ ...sent, body: large }))).toBe("413")
    expect(done).toEqual([])
  })
})

describe("the commands of an edge", () => {
  const cases = variants.flatMap(({ what, command }) =>
    (["api", "operator"] as const).map((edge) => ({ what, command, edge, isTaken: taken[edge].includes(what) })),
  )

  it.each(cases)("$edge: $what is taken: $isTaken", async ({ command, edge, isTaken }) => {
    const body = JSON.stringify({ commands: [command] })
    const reply = await app.inject(await sign({ ...good[edge], body }))
    expect(reply.json().results).toEqual([{ refusal: { _tag: isTaken ? "unknown_account" : "invalid_command" } }])
    expect(done).toEqual(isTaken ? [command] : [])
  })

  it("are those of the api under its earlier secret as well, while it changes", async () => {
    expect(await deliver(await sign({ ...good.api, secret: EARLIER_API }))).toBe("200")
    const body = writeClaim(claim, EARLIER_API)
    expect(await deliver(await sign({ ...good.claim, secret: EARLIER_API, body }))).toBe("200")
    expect(done[1]).toEqual(claim)
  })

  it("hold no fact of the chain, and nothing that a listener could claim with", async () => {
    for (const secret of [claim.memo, claim.claimKey]) expect(good.claim.body).not.toContain(secret)
    expect(Object.keys(JSON.parse(good.claim.body)).sort()).toEqual([
      "bearer",
      "claimKeyHash",
      "newAccount",
      "payer",
      "request",
      "sealed",
      "service",
      "signedUntil",
      "token",
      "txHash",
    ])
    const stated = { ...JSON.parse(good.claim.body), transaction: { units: 1e9 }, signer: ADDRESS, memo: "stated" }
    expect(await deliver(await sign({ ...good.claim, body: JSON.stringify(stated) }))).toBe("200")
    expect(done).toEqual([claim])
  })

  it("take no claim that was sealed for another edge", async () => {
    expect(await deliver(await sign({ ...good.claim, body: writeClaim(claim, secrets.operator) }))).toBe("400")
    expect(done).toEqual([])
  })
})
