import { mkdtempSync, rmSync } from "node:fs"
import { createServer, type Server } from "node:http"
import { tmpdir } from "node:os"
import { join } from "node:path"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as Result from "effect/Result"
import * as Scope from "effect/Scope"
import Fastify from "fastify"
import { describe, expect, it, onTestFinished } from "vitest"
import { BillingUnavailable, type LedgerClient } from "../../ledger/client.ts"
import type { Command, Grant } from "../../ledger/command.ts"
import { verifyLedger } from "../../ledger/verify/verify.ts"
import { openLedger } from "../../ledger/write/writer.ts"
import type { EventLog } from "../../schemas/ports/event-log.ts"
import { openLmdbLog } from "../log/lmdb/event-log.ts"
import { type HttpLedgerOptions, makeHttpLedger } from "./http.ts"
import { ledgerRoutes } from "./routes.ts"

const SECRET = "a secret of the api"
const OPERATOR_SECRET = "a secret of operators"
const TOKEN = "a".repeat(64)
const MEMO = `0x${"b".repeat(64)}`

const grant = (credits: number, account = "a"): Grant => ({
  _tag: "grant",
  account,
  credits,
  operator: "jane",
  reason: "for a test",
  payment: null,
  token: { claimant: `grant/${account}`, origin: account, generation: 1, kid: "k1", hash: TOKEN },
})
const debit = (id: string, key: string | null = null): Command & { readonly _tag: "debit" } => ({
  _tag: "debit",
  token: TOKEN,
  credits: 1,
  purpose: "/api/pro/briefing",
  debit: id,
  mayEndFree: false,
  idempotency: key === null ? null : { key, request: "c".repeat(64) },
})
const settle = (id: string): Command & { readonly _tag: "settle" } => ({
  _tag: "settle",
  debit: id,
  noChargeReason: null,
})
const read: Command & { readonly _tag: "readAccount" } = { _tag: "readAccount", by: { account: "a" } }

const scoped = async () => {
  const scope = await Effect.runPromise(Scope.make())
  onTestFinished(() => Effect.runPromise(Scope.close(scope, Exit.void)))
  return <A, E>(effect: Effect.Effect<A, E, Scope.Scope>) => Effect.runPromise(Scope.provide(effect, scope))
}

const submit = <C extends Command>(ledger: LedgerClient, command: C) =>
  Effect.runPromise(Effect.result(ledger.submit(command)))
const answered = async <C extends Command>(ledger: LedgerClient, command: C) =>
  Result.getOrThrow(await submit(ledger, command)).answer
const unavailable = (reason: string) => ({ _tag: "Failure", failure: { _tag: "billing_unavailable", reason } })

/** A ledger on a log of its own. */
const realLedger = async () => {
  const directory = mkdtempSync(join(tmpdir(), "tidewire-test-"))
  onTestFinished(() => rmSync(directory, { recursive: true, force: true }))
  const run = await scoped()
  const log: EventLog = await run(openLmdbLog({ path: directory }))
  const ledger = await run(openLedger({ log }))
  return { log, ledger, verify: () => run(verifyLedger(log)) }
}

/** A process that may hold the ledger. */
const serve = async (client: LedgerClient, active: () => boolean = () => true) => {
  const app = Fastify()
  const secrets = { api: [SECRET], operator: [OPERATOR_SECRET] }
  await app.register(ledgerRoutes({ holder: { client, active }, payments: null, secrets }))
  const url = await app.listen({ host: "127.0.0.1", port: 0 })
  onTestFinished(() => app.close())
  return { app, url }
}

const serveReal = async () => {
  const real = await realLedger()
  return { ...real, ...(await serve(real.ledger)) }
}

/** Sends each command over the edge that takes it. */
const clientOf = async (
  urls: ReadonlyArray<string>,
  options: Partial<Omit<HttpLedgerOptions, "edge">> = {},
): Promise<LedgerClient> => {
  const run = await scoped()
  const api = await run(makeHttpLedger({ urls, edge: "api", secret: SECRET, ...options }))
  const operator = await run(makeHttpLedger({ urls, edge: "operator", secret: OPERATOR_SECRET, ...options }))
  return {
    submit: (command) => (command._tag === "grant" || command === read ? operator : api).submit(command),
  }
}

/** An address without a listener. */
const nowhere = async () => {
  const { app, url } = await serve({ submit: () => Effect.never })
  await app.close()
  return url
}

/** A server of plain HTTP, for what no process of ours would do. */
const plain = async (handle: Parameters<typeof createServer>[1]) => {
  const server: Server = createServer(handle)
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  const address = server.address()
  if (typeof address !== "object" || address === null) throw new Error("it does not listen")
  return `http://127.0.0.1:${address.port}`
}

/** A way to a process on which the next replies get lost, after what was asked has been done. */
const lossy = async (url: string, how: "cut" | "hang" = "cut") => {
  const asked: Array<string> = []
  let losses = 0
  const via = await plain(async (request, response) => {
    const chunks: Array<Buffer> = []
    for await (const chunk of request) chunks.push(chunk)
    const body = Buffer.concat(chunks).toString()
    // Without one it is only asked which receiver this is.
    if (body !== "") asked.push(body)
    const reply = await fetch(new URL(request.url ?? "", url), {
      method: "POST",
      headers: { "content-type": "application/json", authorization: request.headers.authorization ?? "" },
      body,
    })
    const text = await reply.text()
    if (losses > 0 && reply.status !== 401) {
      losses -= 1
      if (how === "cut") request.socket.destroy()
      return
    }
    response.writeHead(reply.status, { "content-type": "application/json" }).end(text)
  })
  return {
    url: via,
    asked,
    lose: (count: number) => {
      losses = count
    },
  }
}

describe("the ledger over HTTP", () => {
  it("answers what the ledger answers", async () => {
    const { url, ledger } = await serveReal()
    const client = await clientOf([url])
    expect(await submit(client, { ...grant(50), token: null })).toEqual(
      Result.fail({ _tag: "token_needed", wanted: { claimant: "grant/a", origin: "a", generation: 1 } }),
    )
    expect(await answered(client, grant(50))).toMatchObject({ account: "a", balance: 50 })
    const debited = Result.getOrThrow(await submit(client, debit("d1")))
    expect(debited).toMatchObject({ answer: { debit: "d1", balance: 49, replayed: false } })
    expect(debited.entries).toEqual([
      { sequence: 3, accountSequence: 3, hash: expect.stringMatching(/^[0-9a-f]{64}$/) },
    ])
    expect(await answered(client, settle("d1"))).toEqual({ account: "a", charged: 1, returned: 0, balance: 49 })
    expect(await answered(client, read)).toEqual(await answered(ledger, read))
    expect(await submit(client, settle("nothing"))).toEqual(Result.fail({ _tag: "unknown_debit" }))
  })

  it("serves exactly 50 of 200 parallel debits on a balance of 50, through two clients", async () => {
    const { url, verify } = await serveReal()
    const clients = [await clientOf([url]), await clientOf([url])]
    const [first, second] = clients
    if (first === undefined || second === undefined) throw new Error("there are two")
    await answered(first, grant(50))
    const outcomes = await Promise.all(
      Array.from({ length: 200 }, (_, n) => submit(n % 2 === 0 ? first : second, debit(`d${n}`))),
    )
    const refused = outcomes.flatMap((outcome) => (Result.isFailure(outcome) ? [outcome.failure._tag] : []))
    expect(refused).toEqual(Array.from({ length: 150 }, () => "insufficient_credits"))
    expect(await answered(first, read)).toMatchObject({ balance: 0 })
    expect(await verify()).toMatchObject({ offence: null })
  })

  it("asks the next process when one is a standby or cannot be reached, and remembers which answered", async () => {
    let standbyAsked = 0
    const standby = await serve({ submit: () => Effect.never }, () => {
      standbyAsked += 1
      return false
    })
    const { url } = await serveReal()
    const client = await clientOf([await nowhere(), standby.url, url])
    for (let n = 0; n < 3; n++) expect(await answered(client, grant(5))).toMatchObject({ balance: 5 * (n + 1) })
    expect(standbyAsked).toBe(1)
  })

  it("distinguishes standbys only from no reachable process", async () => {
    const standby = await serve({ submit: () => Effect.never }, () => false)
    expect(await submit(await clientOf([standby.url]), grant(1))).toMatchObject(unavailable("standby"))
    expect(await submit(await clientOf([await nowhere()]), grant(1))).toMatchObject(unavailable("unreachable"))
    expect(await submit(await clientOf([]), grant(1))).toMatchObject(unavailable("unreachable"))
  })

  it("says that nothing is known of a debit whose reply was lost, under a key or not; its caller can release it", async () => {
    const { url, log, ledger, verify } = await serveReal()
    const way = await lossy(url)
    const client = await clientOf([way.url])
    await answered(client, grant(50))
    way.lose(1)
    expect(await submit(client, debit("d1"))).toMatchObject(unavailable("unknown"))
    way.lose(1)
    expect(await submit(client, debit("d2", "e".repeat(64)))).toMatchObject(unavailable("unknown"))
    for (const id of ["d1", "d2"]) await answered(client, { _tag: "refund", debit: id, operator: null })
    expect((await answered(ledger, read)).balance).toBe(50)
    expect(await submit(ledger, settle("d1"))).toEqual(Result.fail({ _tag: "debit_refunded" }))
    // Each taken once and given back once: the same id was sent twice. The key is free again.
    expect(await Effect.runPromise(log.end("ledger"))).toBe(6)
    expect(await answered(client, debit("d3", "e".repeat(64)))).toMatchObject({ debit: "d3", balance: 49 })
    expect(await verify()).toMatchObject({ offence: null })
  })

  it("serves a debit whose request was lost on its way, under the same id", async () => {
    const { url } = await serveReal()
    const dead = await plain((request) => request.socket.destroy())
    const client = await clientOf([url, dead])
    await answered(client, grant(50))
    const other = await clientOf([dead, url])
    expect(await answered(other, debit("d1"))).toMatchObject({ debit: "d1", balance: 49 })
  })

  it("answers a lost settle and a lost refund on the second request, and writes nothing twice", async () => {
    const { url, log, ledger } = await serveReal()
    const way = await lossy(url)
    const client = await clientOf([way.url])
    await answered(client, grant(50))
    await answered(client, debit("d1"))
    await answered(client, debit("d2"))
    const before = await Effect.runPromise(log.end("ledger"))
    way.lose(1)
    expect(await answered(client, settle("d1"))).toEqual({ account: "a", charged: 1, returned: 0, balance: 48 })
    way.lose(1)
    expect(await submit(client, { _tag: "refund", debit: "d2", operator: null })).toEqual(
      Result.fail({ _tag: "debit_refunded" }),
    )
    expect((await answered(ledger, read)).balance).toBe(49)
    expect(await Effect.runPromise(log.end("ledger"))).toBe(before + 2)
  })

  it("never gives twice: a grant whose reply was lost is not sent again", async () => {
    const { url, ledger } = await serveReal()
    const way = await lossy(url)
    const client = await clientOf([way.url, url])
    way.lose(1)
    expect(await submit(client, grant(50))).toMatchObject(unavailable("unknown"))
    expect(way.asked).toHaveLength(1)
    expect((await answered(ledger, read)).balance).toBe(50)
  })

  it("says that nothing is known of a quote whose reply was lost", async () => {
    const { url } = await serveReal()
    const way = await lossy(url)
    const client = await clientOf([way.url])
    await answered(client, grant(50))
    way.lose(1)
    const quote: Command = {
      _tag: "issueQuote",
      askedCents: 100,
      memoHash: MEMO,
      tail: 417,
      client: { address: "a", network: "n", provider: "p" },
    }
    expect(await submit(client, quote)).toMatchObject(unavailable("unknown"))
  })

  it("goes on with the next process when one has stopped answering, and does not wait for ever for one", async () => {
    const { url } = await serveReal()
    const stopped = await plain(() => undefined)
    const client = await clientOf([stopped, url], { attemptMaxMs: 2_000 })
    expect(await submit(client, { ...read, by: { token: MEMO.slice(2) } })).toEqual(
      Result.fail({ _tag: "invalid_token" }),
    )
    const alone = await clientOf([stopped], { attemptMaxMs: 100, totalMaxMs: 300 })
    expect(await submit(alone, read)).toMatchObject(unavailable("unknown"))
  })

  it("waits for a process that is slow and alive, and sends to no other meanwhile", async () => {
    const { ledger } = await realLedger()
    const slow = await serve({ submit: (command) => Effect.delay(ledger.submit(command), "2500 millis") })
    let otherAsked = 0
    const other = await serve({ submit: () => Effect.never }, () => {
      otherAsked += 1
      return false
    })
    expect(await answered(await clientOf([slow.url, other.url]), grant(5))).toMatchObject({ balance: 5 })
    expect(otherAsked).toBe(0)
  })

  it("takes an unknown outcome of a process that was fenced to the next one", async () => {
    const { url } = await serveReal()
    const fenced = await serve({
      submit: () => Effect.fail(new BillingUnavailable({ reason: "unknown", retryAfterSeconds: 1 })),
    })
    const client = await clientOf([fenced.url, url])
    expect(await submit(client, grant(5))).toMatchObject(unavailable("unknown"))
    expect(await answered(await clientOf([url]), grant(5))).toMatchObject({ balance: 5 })
    expect(await answered(await clientOf([fenced.url, url]), debit("d1"))).toMatchObject({ balance: 4 })
  })

  it("refuses at once what would wait behind too many others", async () => {
    const stopped = await plain(() => undefined)
    const client = await clientOf([stopped], { attemptMaxMs: 500, totalMaxMs: 500, waitingMax: 10 })
    const outcomes = await Promise.all(Array.from({ length: 30 }, (_, n) => submit(client, debit(`d${n}`))))
    const reasons = outcomes.map((outcome) =>
      Result.isFailure(outcome) && outcome.failure._tag === "billing_unavailable" ? outcome.failure.reason : "answered",
    )
    expect(reasons.filter((reason) => reason === "overloaded")).toHaveLength(20)
    expect(reasons.filter((reason) => reason === "unknown")).toHaveLength(10)
  })

  it("does not send abandoned commands", async () => {
    const { url, ledger } = await serveReal()
    await answered(ledger, grant(5))
    const client = await clientOf([url])
    await Effect.runPromise(
      Effect.gen(function* () {
        const fiber = yield* Effect.forkChild(client.submit(debit("d1")), { startImmediately: true })
        yield* Fiber.interrupt(fiber)
      }),
    )
    expect(await answered(client, read)).toMatchObject({ balance: 5 })
  })

  it.each([
    ["words", "no JSON"],
    ["another form", '{"results":[{"answer":{"balance":1e9},"entries":[],"atMs":1}]}'],
    ["too few results", '{"results":[]}'],
  ])("does not believe a reply that is none: %s", async (_, text) => {
    const url = await plain((request, response) => request.resume().on("end", () => response.end(text)))
    expect(await submit(await clientOf([url]), debit("d1"))).toMatchObject(unavailable("unknown"))
  })
})
