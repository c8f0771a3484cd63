import { createHash, randomBytes } from "node:crypto"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Schema from "effect/Schema"
import * as Scope from "effect/Scope"
import type { LightMyRequestResponse as Response } from "fastify"
import { expect, onTestFinished } from "vitest"
import { query } from "../../api/premium/query.ts"
import { openReplies, type ReplyStore } from "../../api/premium/replies.ts"
import type { ApiOptions, Billing } from "../../api/routes/route.ts"
import { type ApiUnderTest, apiUnderTest, START_MS, things } from "../../api/testing/api-under-test.ts"
import { undocumentedBy } from "../../api/testing/documented.ts"
import {
  type AnswerTo,
  BillingUnavailable,
  type Command,
  type DurableAnswer,
  type LedgerClient,
  openReceipts,
  type Receipts,
  tokenHashOf,
} from "../../ledger/client.ts"
import { newReceiptKey, readReceiptKey, receiptKeysOf } from "../../ledger/receipts/keys.ts"
import { openLedger } from "../../ledger/write/writer.ts"
import { endpoint } from "../../schemas/contract/endpoint.ts"
import { choice } from "../../schemas/contract/parameters.ts"
import { instant } from "../../schemas/event.ts"
import type { EventLog } from "../../schemas/ports/event-log.ts"
import type { History, HistoryFailed } from "../../schemas/ports/history.ts"
import { type MemoryLog, makeMemoryLog } from "../support/memory-log.ts"

/** A whole view, at one credit; free of charge while its data is marked as stalled. */
export const whole = endpoint({
  path: "/api/pro/whole",
  name: "pro_whole",
  kind: "prepared",
  tier: "premium",
  credits: 1,
  ttl: "1 minute",
  summary: "All of it",
  description: "",
  parameters: {},
  data: Schema.Struct({ stalled: Schema.NullOr(Schema.Boolean), list: Schema.Array(Schema.String) }),
  cold: { stalled: null, list: [] },
  noCharge: [
    {
      reason: "stalled_monitor",
      description: "It stands still",
      decided: "before",
      when: ({ stalled }) => stalled === true,
    },
  ],
  example: { stalled: false, list: ["one"] },
})

/** A selection of a view, at two credits. */
export const picked = endpoint({
  path: "/api/pro/picked",
  name: "pro_picked",
  kind: "filtered",
  tier: "premium",
  credits: 2,
  ttl: "1 minute",
  summary: "A part of it",
  description: "",
  parameters: { size: choice(["small", "large"], { default: "small", description: "How much" }) },
  data: Schema.Struct({ chosen: Schema.Array(Schema.String) }),
  cold: { all: [] },
  select: (full: { readonly all: ReadonlyArray<string> }, { size }: { readonly size: "small" | "large" }) => {
    if (full.all.includes("broken")) throw new Error("a secret of the code")
    const chosen = size === "small" ? full.all.slice(0, 1) : full.all
    return { data: { chosen }, inputs: ["all"] }
  },
  empty: ({ chosen }) => chosen.length === 0,
  example: { chosen: ["a"] },
})

/** A query of the history, at two credits. */
export const range = endpoint({
  path: "/api/pro/range",
  name: "pro_range",
  kind: "queried",
  tier: "premium",
  credits: 2,
  ttl: "1 minute",
  summary: "A range",
  description: "",
  parameters: {
    days: { schema: Schema.FiniteFromString, optional: true, description: "Days", example: "2" },
    order: choice(["up", "down"], { default: "up", description: "Which way" }),
  },
  data: Schema.Struct({ rows: Schema.Array(Schema.Number) }),
  example: { rows: [1, 2] },
})

type Rows = Effect.Effect<{ readonly rows: ReadonlyArray<number> }, HistoryFailed>

/** A premium API over a real ledger, on a log in memory. */
export interface PremiumScene extends ApiUnderTest {
  readonly log: EventLog
  readonly memory: MemoryLog
  readonly ledger: LedgerClient
  readonly receipts: Receipts
  readonly replies: ReplyStore
  /** Opens an account with credits, and gives its token. */
  readonly token: (credits: number) => Promise<string>
  readonly submit: <C extends Command>(command: C) => Promise<DurableAnswer<AnswerTo<C>>>
  readonly balanceOf: (token: string) => Promise<number>
  /** Sends a GET with a token. */
  readonly get: (url: string, token: string | null, headers?: Record<string, string>) => Promise<Response>
  /** Sets the history's answer from now on. */
  readonly answerWith: (rows: (days: number | undefined) => Rows) => void
  /** Intercepts the ledger's commands from now on; null ends that. */
  readonly onCommand: (script: ((command: Command) => ReturnType<LedgerClient["submit"]> | null) | null) => void
  /** The types of the ledger's entries so far, the grants left out. */
  readonly entries: () => ReadonlyArray<string>
}

/** A random token in the right form. */
export const anyToken = (): string => `svc_live_${randomBytes(32).toString("hex")}`

/** The answer of an unavailable ledger. */
export const away = Effect.fail(new BillingUnavailable({ reason: "stopped", retryAfterSeconds: 5 }))

const signing = readReceiptKey(newReceiptKey())
const keys = signing === null ? null : receiptKeysOf([signing])

/** A placeholder for the history: the queries of the scene are scripts. */
const history = {} as History

/** Makes a scene; everything is closed when the test ends. `on`: another API on the same ledger. */
export const premiumScene = async (
  options: Partial<ApiOptions> & {
    readonly on?: PremiumScene
    readonly withoutHistory?: boolean
    readonly withReplies?: (log: EventLog) => ReplyStore
  } = {},
): Promise<PremiumScene> => {
  const { on, withoutHistory, withReplies, ...rest } = options
  if (keys === null) throw new Error("no key")
  const scope = Effect.runSync(Scope.make())
  onTestFinished(() => Effect.runPromise(Scope.close(scope, Exit.void)))
  const memory = on?.memory ?? makeMemoryLog()
  let nowMs = START_MS
  const ledger =
    on?.ledger ??
    (await Effect.runPromise(openLedger({ log: memory.log, nowMs: () => nowMs }).pipe(Scope.provide(scope))))
  const receipts = on?.receipts ?? (await openReceipts(keys, { issuer: "https://tidewire.example" }))
  const replies =
    withReplies?.(memory.log) ??
    (await Effect.runPromise(openReplies({ log: memory.log, nowMs: () => nowMs }).pipe(Scope.provide(scope))))

  let script: Parameters<PremiumScene["onCommand"]>[0] = null
  let answer: (days: number | undefined) => Rows = () => Effect.succeed({ rows: [1, 2, 3] })
  const ranges = query({
    endpoint: range,
    refuse: ({ days }) => ((days ?? 1) > 365 ? { parameter: "days", message: "At most 365 days." } : null),
    run: (_, { days }) => Effect.map(answer(days), (data) => ({ data, empty: data.rows.length === 0 })),
  })
  const billing: Billing = {
    ledger: {
      submit: <C extends Command>(command: C) =>
        Effect.suspend(() => {
          const scripted = script === null ? null : script(command)
          // A script answers with what belongs to the command.
          return scripted === null ? ledger.submit(command) : (scripted as ReturnType<typeof ledger.submit<C>>)
        }),
    },
    // Nothing is bought here.
    buying: {} as Billing["buying"],
    receipts,
    replies,
    history: withoutHistory === true ? null : history,
  }
  const endpoints = rest.endpoints ?? [things, whole, picked, range]
  const api = await apiUnderTest({ billing, queries: [ranges], ...rest, endpoints })
  const undocumented = undocumentedBy(endpoints)
  const submit = <C extends Command>(command: C) => Effect.runPromise(ledger.submit(command))
  let accounts = 0
  const scene: PremiumScene = {
    ...api,
    moveTo: (atMs) => {
      nowMs = atMs
      api.moveTo(atMs)
    },
    log: memory.log,
    memory,
    ledger,
    receipts,
    replies,
    submit,
    token: async (credits) => {
      const token = anyToken()
      accounts += 1
      const account = `account-${createHash("sha256").update(token).digest("hex").slice(0, 8)}-${accounts}`
      const wanted = { claimant: `grant/${account}`, origin: account, generation: 1 }
      await submit({
        _tag: "grant",
        account,
        credits: Math.max(1, credits),
        operator: "test",
        reason: "a test",
        payment: null,
        token: { ...wanted, kid: "k1", hash: tokenHashOf(token) },
      })
      if (credits === 0) {
        const debit = `empties-${account}`
        const call = { credits: 1, purpose: "x", mayEndFree: false, idempotency: null }
        await submit({ _tag: "debit", token: tokenHashOf(token), debit, ...call })
        await submit({ _tag: "settle", debit, noChargeReason: null })
      }
      return token
    },
    balanceOf: async (token) =>
      (await submit({ _tag: "readAccount", by: { token: tokenHashOf(token) } })).answer.balance,
    get: async (url, token, headers = {}) => {
      const bearer = token === null ? {} : { authorization: `Bearer ${token}` }
      const reply = await api.app.inject({ url, headers: { ...bearer, ...headers } })
      expect(undocumented("GET", url, reply) ?? [], url).toEqual([])
      return reply
    },
    answerWith: (rows) => {
      answer = rows
    },
    onCommand: (wanted) => {
      script = wanted
    },
    entries: () =>
      memory
        .events("ledger")
        .map(({ type }) => type)
        .filter((type) => type !== "credits.granted" && type !== "token.issued"),
  }
  if (on === undefined) {
    api.fill("/api/things", { items: ["free"] })
    api.fill("/api/pro/whole", { stalled: false, list: ["one", "two"] })
    api.fill("/api/pro/picked", { all: ["a", "b", "c"] })
  }
  return scene
}

/** An instant of the scene, in milliseconds after its beginning. */
export const at = (ms: number): string => instant(START_MS + ms)
