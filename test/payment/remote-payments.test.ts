import { randomBytes, randomUUID } from "node:crypto"
import { createServer } from "node:http"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Result from "effect/Result"
import * as Scope from "effect/Scope"
import Fastify from "fastify"
import { describe, expect, it, onTestFinished } from "vitest"
import { makeHttpLedger, makeRemotePayments } from "../../infra/ledger/http.ts"
import { ledgerRoutes } from "../../infra/ledger/routes.ts"
import { openBuying } from "../../ledger/buying/buying.ts"
import { makePayments } from "../../ledger/buying/payments.ts"
import { openLedger } from "../../ledger/write/writer.ts"
import { address, NOON_MS, SIGNED_UNTIL, transaction, transfer, word } from "../conformance/ledger/given.ts"
import { makeMemoryLog } from "../support/memory-log.ts"
import { CLAIM_KEY, HOST, makeScriptedChain, signed, tokenKeys } from "./desk.ts"

const SECRET = "the secret of the api"
const buyer = address("buyer")
const stranger = address("stranger")

const scoped = () => {
  const scope = Scope.makeUnsafe()
  onTestFinished(() => Effect.runPromise(Scope.close(scope, Exit.void)))
  return <A, E>(effect: Effect.Effect<A, E, Scope.Scope>) => Effect.runPromise(effect.pipe(Scope.provide(scope)))
}

/** Where the credits go that are claimed by signature. */
const claimant = { claimKey: CLAIM_KEY, claimKeyHash: null, signedUntil: SIGNED_UNTIL }

/** A process that holds the ledger, with its own client of the chain. */
const ledgerProcess = async (options: { readonly active?: () => boolean } = {}) => {
  const run = scoped()
  const memory = makeMemoryLog()
  const ledger = await run(openLedger({ log: memory.log, nowMs: () => NOON_MS }))
  const scripted = makeScriptedChain()
  const app = Fastify()
  await app.register(
    ledgerRoutes({
      holder: { client: ledger, active: options.active ?? (() => true) },
      payments: makePayments({ ledger, chain: scripted.chain, wallMs: () => NOON_MS }),
      secrets: { api: [SECRET] },
    }),
  )
  const url = await app.listen({ host: "127.0.0.1", port: 0 })
  onTestFinished(() => app.close())
  return { ...scripted, memory, url, app }
}

/** The desk of an api process: it has the chain's id and token, and no client of the chain. */
const deskOf = async (urls: ReadonlyArray<string>, limits: { attemptMaxMs?: number; totalMaxMs?: number } = {}) => {
  const run = scoped()
  const { facts } = makeScriptedChain().chain
  const ledger = await run(makeHttpLedger({ urls, edge: "api", secret: SECRET }))
  const payments = await run(makeRemotePayments({ urls, secret: SECRET, facts, ...limits }))
  const buying = openBuying({
    ledger,
    payments,
    tokenKeys,
    service: HOST,
    random: (count) => randomBytes(count),
    newId: randomUUID,
    clientKey: randomBytes(32),
  })
  const confirm = async (shown: { readonly txHash: string; readonly memo?: string; readonly signature?: string }) =>
    Result.merge(
      await Effect.runPromise(
        Effect.result(
          buying.confirm({ ...claimant, memo: null, signature: null, payer: null, bearer: null, ...shown }),
        ),
      ),
    )
  return {
    buying,
    confirm,
    quote: () =>
      Effect.runPromise(
        buying.quote({
          askedCents: 100,
          client: { address: "192.0.2.1", network: "192.0.2.0/24", provider: "192.0.0.0/16" },
        }),
      ),
  }
}

/** A connection to a process that can be made to lose a reply after the command was carried out. */
const lossy = async (target: string) => {
  const bodies: Array<string> = []
  let losses = 0
  const server = createServer(async (request, response) => {
    const chunks: Array<Buffer> = []
    for await (const chunk of request) chunks.push(chunk)
    const body = Buffer.concat(chunks).toString()
    bodies.push(body)
    const authorization = request.headers.authorization ?? ""
    const headers = { "content-type": "application/json", authorization }
    const reply = await fetch(new URL(request.url ?? "", target), { method: "POST", headers, body })
    const text = await reply.text()
    if (losses > 0 && reply.status === 200) {
      losses -= 1
      request.socket.destroy()
    } else response.writeHead(reply.status, { "content-type": "application/json" }).end(text)
  })
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  const at = server.address()
  if (typeof at !== "object" || at === null) throw new Error("it does not listen")
  const lose = (count: number) => {
    losses = count
  }
  return { url: `http://127.0.0.1:${at.port}`, bodies, lose }
}

describe("payments that another process verifies", () => {
  it("are credited by memo, and the same token is given again after lost replies", async () => {
    const ledger = await ledgerProcess()
    const way = await lossy(ledger.url)
    const desk = await deskOf([way.url])
    const { memo, totalUnits } = await desk.quote()
    const { hash: txHash } = ledger.mine(transaction("paid", [transfer(buyer, totalUnits)]))
    way.lose(1)
    const first = await desk.confirm({ txHash, memo })
    expect(first).toMatchObject({
      _tag: "credited",
      credits: 50,
      balance: 50,
      token: expect.stringMatching(/^svc_live_/),
    })
    way.lose(1)
    expect(await desk.confirm({ txHash, memo })).toEqual(first)
    expect(ledger.memory.events("ledger").filter(({ type }) => type === "purchase.credited")).toHaveLength(1)
    // One read of the chain serves a claim and its token.
    expect(ledger.finds()).toBeLessThanOrEqual(4)
    for (const body of way.bodies) for (const secret of [memo, CLAIM_KEY]) expect(body).not.toContain(secret)
  })

  it("are credited by the payer's signature, which the ledger's process verifies itself", async () => {
    const ledger = await ledgerProcess()
    const desk = await deskOf([ledger.url])
    const { hash: txHash } = ledger.mine(transaction("round", [transfer(buyer, 2_000_000)]))
    const refusal = await desk.confirm({ txHash })
    const text = "toSign" in refusal ? refusal.toSign?.text : undefined
    if (text === undefined) throw new Error(JSON.stringify(refusal))
    expect(await desk.confirm({ txHash, signature: signed(stranger, text) })).toMatchObject({
      _tag: "payer_proof_required",
      reason: "signature_refused",
    })
    expect(await desk.confirm({ txHash, signature: signed(buyer, text) })).toMatchObject({
      _tag: "credited",
      credits: 100,
    })
  })

  it("give the outcome of the transaction, as the ledger process reads it from its chain", async () => {
    const ledger = await ledgerProcess()
    const desk = await deskOf([ledger.url])
    const { memo } = await desk.quote()
    expect(await desk.confirm({ txHash: word("unheard of"), memo })).toMatchObject({
      _tag: "pending",
      confirmations: 0,
    })
    ledger.revert(word("failed"))
    expect(await desk.confirm({ txHash: word("failed"), memo })).toMatchObject({ _tag: "failed_transaction" })
    ledger.breakWith("no provider answers")
    expect(await desk.confirm({ txHash: word("failed"), memo })).toMatchObject({
      _tag: "ChainUnavailable",
      retryAfterSeconds: 7,
      of: "providers",
    })
    ledger.breakWith("large", "receipt")
    expect(await desk.confirm({ txHash: word("failed"), memo })).toMatchObject({ of: "receipt", retryAfterSeconds: 7 })
    expect(ledger.memory.events("ledger").map(({ type }) => type)).toEqual(["quote.issued"])
  })

  it("are claimed at the process that holds the ledger, and at none where none does", async () => {
    const standby = await ledgerProcess({ active: () => false })
    const ledger = await ledgerProcess()
    const desk = await deskOf([standby.url, ledger.url])
    const { hash: txHash } = ledger.mine(transaction("round", [transfer(buyer, 2_000_000)]))
    expect(await desk.confirm({ txHash })).toMatchObject({ _tag: "payer_proof_required" })
    await ledger.app.close()
    expect(await (await deskOf([standby.url])).confirm({ txHash })).toMatchObject({
      _tag: "billing_unavailable",
      reason: "standby",
    })
    expect(await (await deskOf([ledger.url])).confirm({ txHash })).toMatchObject({
      _tag: "billing_unavailable",
      reason: "unreachable",
    })
    expect(await (await deskOf([])).confirm({ txHash })).toMatchObject({ reason: "unreachable" })
  })

  it("are not waited for without end when the chain hangs", async () => {
    const ledger = await ledgerProcess()
    const desk = await deskOf([ledger.url], { attemptMaxMs: 100, totalMaxMs: 300 })
    const { memo } = await (await deskOf([ledger.url])).quote()
    const { release } = ledger.hold()
    expect(await desk.confirm({ txHash: word("any"), memo })).toMatchObject({
      _tag: "billing_unavailable",
      reason: "unknown",
    })
    release()
  })
})
