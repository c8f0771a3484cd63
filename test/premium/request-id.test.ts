import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Scope from "effect/Scope"
import Fastify from "fastify"
import pino from "pino"
import { describe, expect, it, onTestFinished } from "vitest"
import { AccessLog } from "../../api/http/traffic.ts"
import { START_MS } from "../../api/testing/api-under-test.ts"
import { makeHttpLedger, makeRemotePayments } from "../../infra/ledger/http.ts"
import { ledgerRoutes } from "../../infra/ledger/routes.ts"
import { effectLogger } from "../../infra/telemetry/logger.ts"
import { BillingUnavailable, type LedgerClient, onBehalfOf, type Payments } from "../../ledger/client.ts"
import { withRequestId } from "../../ledger/ids.ts"
import { openLedger } from "../../ledger/write/writer.ts"
import { address, word } from "../conformance/ledger/given.ts"
import { makeScriptedChain } from "../payment/desk.ts"
import { type PremiumScene, premiumScene } from "./scene.ts"

const SECRET = "the secret of the api"

type Line = Readonly<Record<string, unknown>>

const scoped = () => {
  const scope = Scope.makeUnsafe()
  onTestFinished(() => Effect.runPromise(Scope.close(scope, Exit.void)))
  return <A, E>(effect: Effect.Effect<A, E, Scope.Scope>) => Effect.runPromise(Scope.provide(effect, scope))
}

/** Serves a ledger as a process that holds it does, and reaches it over HTTP. */
const overHttp = async (client: LedgerClient, payments: Payments | null = null) => {
  const app = Fastify()
  await app.register(ledgerRoutes({ holder: { client, active: () => true }, payments, secrets: { api: [SECRET] } }))
  const url = await app.listen({ host: "127.0.0.1", port: 0 })
  onTestFinished(() => app.close())
  return { url, ledger: await scoped()(makeHttpLedger({ urls: [url], edge: "api", secret: SECRET })) }
}

/** An API whose ledger is opened again on the log of `base`, with a log of its own. */
const reopened = async (base: PremiumScene, reach: (client: LedgerClient) => Promise<LedgerClient>) => {
  const lines: Array<Line> = []
  const logger = pino({ level: "debug" }, { write: (line: string) => void lines.push(JSON.parse(line)) })
  const opened = openLedger({ log: base.log, nowMs: () => START_MS }).pipe(Effect.provide(effectLogger(logger)))
  const ledger = await reach(await scoped()(opened))
  const written: Array<string> = []
  const accessLog = new AccessLog((text) => written.push(text))
  const scene = await premiumScene({ on: { ...base, ledger }, accessLog, trustedProxies: ["127.0.0.1"] })
  scene.fill("/api/pro/picked", { all: ["a", "b", "c"] })
  return {
    scene,
    lines,
    accessLines: (): ReadonlyArray<Line> => {
      accessLog.flush()
      return written.flatMap((text) => text.trim().split("\n")).map((line) => JSON.parse(line))
    },
  }
}

describe("the id of a premium request", () => {
  it.each([
    ["in this process", async (client: LedgerClient) => client],
    ["in another process", async (client: LedgerClient) => (await overHttp(client)).ledger],
  ])("is in its reply, its access line and the line of the ledger %s, and in no entry", async (_, reach) => {
    const base = await premiumScene()
    const [rich, poor] = [await base.token(100), await base.token(1)]
    const { scene, lines, accessLines } = await reopened(base, reach)
    // Together, so that commands of several requests share one request to the ledger.
    const replies = await Promise.all(
      ["edge.0001", "edge.0002", "edge.0003", "edge.0004"].map((id, at) =>
        scene.get("/api/pro/picked?size=large", at % 2 === 0 ? poor : rich, { "x-request-id": id }),
      ),
    )
    replies.push(await scene.get("/api/pro/picked", poor))
    expect(replies.map(({ statusCode }) => statusCode)).toEqual([402, 200, 402, 200, 402])
    const ids = replies.map(({ headers }) => String(headers["x-request-id"]))
    expect(ids.slice(0, 4)).toEqual(["edge.0001", "edge.0002", "edge.0003", "edge.0004"])
    expect(accessLines().map(({ request }) => request)).toEqual(expect.arrayContaining(ids))
    const refused = lines.filter(({ msg }) => msg === "a command was not carried out")
    expect(refused.map(({ request }) => request).sort()).toEqual([ids[0], ids[2], ids[4]].sort())
    for (const line of refused)
      expect(line).toMatchObject({ level: 20, command: "debit", outcome: "insufficient_credits" })
    const values = base.memory.commits.flat().map(({ key, value }) => `${key} ${Buffer.from(value ?? []).toString()}`)
    const kept = [...values, ...replies.map(({ body }) => body)].join("\n")
    expect(kept).toContain("credits.debited")
    for (const id of ids) expect(kept).not.toContain(id)
  })

  it("is in the reply to a call that failed, and in the line that says why", async () => {
    const { fill, get, token, errors } = await premiumScene()
    fill("/api/pro/picked", { all: ["broken"] })
    const { statusCode, headers } = await get("/api/pro/picked", await token(5))
    expect(statusCode).toBe(500)
    expect(errors).toMatchObject([{ request: headers["x-request-id"] }])
  })

  it("goes with a claim of a payment to the process that verifies it", async () => {
    const { facts } = makeScriptedChain().chain
    const seen: Array<string | null> = []
    const claiming: Payments = {
      facts,
      claim: () =>
        withRequestId((request) => {
          seen.push(request)
          return Effect.fail(new BillingUnavailable({ reason: "overloaded", retryAfterSeconds: 1 }))
        }),
    }
    const { url } = await overHttp({ submit: () => Effect.never }, claiming)
    const remote = await scoped()(makeRemotePayments({ urls: [url], secret: SECRET, facts }))
    const claim = remote.claim({
      txHash: word("transaction"),
      memo: "a memo",
      signature: null,
      signedUntil: null,
      claimKey: null,
      claimKeyHash: null,
      payer: address("buyer"),
      service: "tidewire.example",
      bearer: null,
      newAccount: "an-account",
      token: null,
    })
    await Effect.runPromise(Effect.ignore(onBehalfOf("0123abcd-1")(claim)))
    await Effect.runPromise(Effect.ignore(claim))
    expect(seen).toEqual(["0123abcd-1", null])
  })
})
