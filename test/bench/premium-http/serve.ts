import { createWriteStream } from "node:fs"
import { mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { constants, PerformanceObserver } from "node:perf_hooks"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Logger from "effect/Logger"
import * as Scope from "effect/Scope"
import Fastify from "fastify"
import { AccessLog, Traffic } from "../../../api/http/traffic.ts"
import { openReplies } from "../../../api/premium/replies.ts"
import type { Billing } from "../../../api/routes/route.ts"
import { buildApi } from "../../../api/server.ts"
import { ViewStore } from "../../../api/views/store.ts"
import { openKafkaLog } from "../../../infra/log/kafka/event-log.ts"
import { openLmdbLog } from "../../../infra/log/lmdb/event-log.ts"
import { openReceipts, tokenHashOf } from "../../../ledger/client.ts"
import { newReceiptKey, readReceiptKey, receiptKeysOf } from "../../../ledger/receipts/keys.ts"
import { openLedger } from "../../../ledger/write/writer.ts"
import { instant } from "../../../schemas/event.ts"
import type { ProBriefingFull } from "../../../schemas/payloads/pro-briefing.ts"
import { endpoints } from "../../../schemas/registry.ts"

// One server of the comparison, in its own process: `node serve.ts premium|bare [OPTIONS]`. Sends its address and a token with credits
// to its parent. `premium`: the whole path, with a ledger on an embedded log, on disk, or on Kafka by the options that follow.

const [which, kafkaOptions] = process.argv.slice(2)
const PATH = "/api/pro/briefing"
const ACCOUNT = "bench"
const TOKEN = `svc_live_${"5e".repeat(32)}`
const CREDITS = 1_000_000_000
const nowMs = Date.now
const startedAtMs = nowMs()

/** The data of the briefing on an ordinary day. */
const briefing: ProBriefingFull = {
  sections: {
    earthquakes: { count: 47, latest: { magnitude: 4.6, place: "112 km S of Kodiak, Alaska", time: startedAtMs } },
    tech_news: { top_story_count: 30 },
    humans_in_space: { count: 10, names: Array.from({ length: 10 }, (_, n) => `Astronaut Number ${n + 1}`) },
    launches: null,
    predictions: {
      count: 50,
      top: Array.from({ length: 10 }, (_, n) => ({
        question: `Will the thing that everybody has talked about for ${n + 2} weeks come to pass this year?`,
        volume_24hr: 25_022.29 + n,
        outcomes: [
          { name: "Yes", percent: 51 - n },
          { name: "No", percent: 49 + n },
        ],
      })),
    },
  },
  series: { btc_24h: [] },
}

const scope = Effect.runSync(Scope.make())
const open = <A, E>(effect: Effect.Effect<A, E, Scope.Scope>): Promise<A> =>
  Effect.runPromise(effect.pipe(Scope.provide(scope)))

/** A ledger, with credits for the token. */
const openBilling = async (directory: string): Promise<Billing> => {
  const log = await open(
    kafkaOptions === undefined
      ? openLmdbLog({ path: join(directory, "log") })
      : openKafkaLog(JSON.parse(kafkaOptions)).pipe(Effect.provide(Logger.layer([]))),
  )
  const ledger = await open(openLedger({ log }))
  const wanted = { claimant: `grant/${ACCOUNT}`, origin: ACCOUNT, generation: 1 }
  const token = { ...wanted, kid: "k1", hash: tokenHashOf(TOKEN) }
  const granted = { account: ACCOUNT, credits: CREDITS, operator: "bench", reason: "bench", payment: null, token }
  await Effect.runPromise(ledger.submit({ _tag: "grant", ...granted }))
  const signing = readReceiptKey(newReceiptKey())
  const keys = signing === null ? null : receiptKeysOf([signing])
  if (keys === null) throw new Error("a new key cannot be read")
  return {
    ledger,
    // The benchmark buys no credits.
    buying: {} as Billing["buying"],
    receipts: await openReceipts(keys, { issuer: "https://tidewire.example" }),
    replies: await open(openReplies({ log })),
    history: null,
  }
}

const premium = async (billing: Billing) => {
  const store = new ViewStore({ endpoints, nowMs })
  const staleAfter = instant(startedAtMs + 3_600_000)
  const source = {
    name: "USGS.earthquakes",
    status: "live" as const,
    fetched_at: instant(startedAtMs),
    latency_ms: 120,
  }
  store.update(PATH, {
    body: { v: 2, changedAt: instant(startedAtMs), data: briefing },
    freshness: { v: 1, asOf: instant(startedAtMs), staleAfter, sources: [{ ...source, staleAfter }] },
  })
  await store.settled()
  const sink = createWriteStream("/dev/null")
  return buildApi({
    endpoints,
    store,
    demand: null,
    billing,
    traffic: new Traffic(),
    version: "0.0.0",
    startedAtMs,
    nowMs,
    limits: { requestsPerDay: CREDITS, tokenRequestsPerMinute: CREDITS },
    trustedProxies: ["192.0.2.0/24"],
    baseUrl: null,
    attribution: new Map(),
    logger: { error: () => undefined },
    accessLog: new AccessLog((lines) => sink.write(lines)),
  })
}

/** The minimal Fastify server that sends such a reply. */
const bare = async (api: Awaited<ReturnType<typeof premium>>) => {
  const reply = await api.inject({ url: PATH, headers: { authorization: `Bearer ${TOKEN}` } })
  if (reply.headers["x-credits-charged"] !== "1") throw new Error(`${reply.statusCode}: ${reply.body}`)
  const { date: _, connection: __, "content-length": ___, ...headers } = reply.headers
  return Fastify().get(PATH, (_, sent) => sent.headers(headers).send(reply.rawPayload))
}

const directory = await mkdtemp(join(tmpdir(), "tidewire-bench-"))
const api = await premium(await openBilling(directory))
const app = which === "bare" ? await bare(api) : api
const address = await app.listen({ host: "127.0.0.1", port: 0 })
process.send?.({ address, path: PATH, token: TOKEN })
let majorCollections = 0
new PerformanceObserver((list) => {
  for (const entry of list.getEntries() as ReadonlyArray<{ readonly detail?: { readonly kind?: number } }>)
    if (entry.detail?.kind === constants.NODE_PERFORMANCE_GC_MAJOR) majorCollections += 1
}).observe({ entryTypes: ["gc"] })
// Answers each message with its processor time in microseconds, and its major garbage collections.
process.on("message", () => {
  const { user, system } = process.cpuUsage()
  process.send?.({ cpuMicros: user + system, majorCollections })
})
process.once("disconnect", async () => {
  await app.close()
  await Effect.runPromise(Scope.close(scope, Exit.void))
  await rm(directory, { recursive: true, force: true })
  process.exit(0)
})
