import { setTimeout as sleep } from "node:timers/promises"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import type { VerifiedClaims } from "../../ledger/client.ts"
import { reliabilityIds } from "../../schemas/feed.ts"
import { eventually } from "../support/eventually.ts"
import { type BookedDebit, type Books, bookedKey, passTime, readBooks } from "../support/ledger-books.ts"
import { grantNew, ledgerCommand } from "../support/ledger-command.ts"
import {
  askPremium,
  type CallOutcome,
  forgetBody,
  type PremiumCall,
  type PremiumReply,
  receiptReader,
  startCallers,
} from "../support/premium-callers.ts"
import { removeDirectory, type Service, startService, temporaryDirectory } from "../support/service.ts"
import { someFeed } from "../support/some-feed.ts"
import { startWorld, type WorldServer } from "../world/server.ts"
import { worldAt } from "../world/world.ts"

const ROUNDS = Number(process.env.ROUNDS ?? 3)
const SEED = process.env.CRASH_SEED ?? "credits"
const CALLERS = 64
/** A kill comes after at most so many answers. */
const ANSWERS_MAX = 600
/** A debit that is not settled is given back after five minutes. */
const ORPHANED_MS = 6 * 60_000
const REPEATED_AT_ONCE = 16
const BRIEFING = "/api/pro/briefing"
const RELIABILITY = "/api/pro/feed-reliability"
const HISTORY = `${RELIABILITY}/history`
const [JUDGED = ""] = reliabilityIds(someFeed.feed)
const EMPTY_RANGE = `${HISTORY}?feed=${encodeURIComponent(JUDGED)}&from=2020-01-01&to=2020-01-31`
const OPERATOR = ["--operator", "jane", "--reason", "for a test"]

/** Whether a reply has a debit in the ledger: replies that are free before any debit have none. */
const hasDebit = ({ reason, replayed }: PremiumReply): boolean =>
  replayed || reason === null || reason === "empty_range"
const pathOf = ({ path }: PremiumCall): string => path.split("?")[0] ?? path

describe.skipIf(process.platform !== "linux")("credits, killed at any moment", () => {
  const directory = temporaryDirectory()
  const { random } = worldAt(SEED, 0)
  let world: WorldServer
  let service: Service
  let settings: Readonly<Record<string, string>>
  /** An account with plenty of credits, and one that runs out of them. */
  let rich: { readonly account: string; readonly token: string }
  let poor: { readonly account: string; readonly token: string }
  let readReceipt: (reply: PremiumReply) => Promise<VerifiedClaims>

  const start = async () => {
    service = await startService({
      dataDirectory: directory,
      offered: [BRIEFING, RELIABILITY, HISTORY],
      environment: {
        UPSTREAMS: world.url,
        POLL_SECONDS_MAX: "5",
        LOG_LEVEL: "error",
        TOKEN_REQUESTS_PER_MINUTE: "1000000000",
        REQUESTS_PER_DAY: "1000000000",
      },
    })
    settings = { DATA_DIR: directory, ADMIN_PORT: new URL(service.adminUrl).port }
  }

  beforeAll(async () => {
    world = await startWorld({ seed: SEED })
    await start()
    await service.ready()
    rich = await grantNew(settings, 1_000_000)
    poor = await grantNew(settings, 20)
    readReceipt = await receiptReader(await service.json("/.well-known/jwks.json"))
    await eventually("calls are charged", async () => {
      const one = await askPremium(service.url, { ...rich, path: BRIEFING, key: null })
      if (one === null) return undefined
      first.push(one)
      return one.reply?.charged === 1
    })
  })
  afterAll(async () => {
    await service?.end("SIGKILL")
    await world?.close()
    removeDirectory(directory)
  })

  /** The calls before the first charged one, and that one. */
  const first: Array<CallOutcome> = []
  /** The outcomes of all rounds; below, the claims of their receipts by receipt id. */
  const all: Array<CallOutcome> = []
  const claims = new Map<string, VerifiedClaims>()
  const keys = new Map<string, PremiumCall>()
  /** The debits that were answered: each by one receipt. */
  const answeredBy = new Map<string, string>()

  const callsOf = (round: number) => (caller: number, turn: number) => {
    const key = `${round}/${caller}/${turn}`
    // Two at once under one key; a free of charge one under a key and without; those whose credits run out; all others.
    if (caller < 6) return [0, 1].map(() => ({ ...rich, path: BRIEFING, key }))
    if (caller < 10) return [{ ...rich, path: EMPTY_RANGE, key: caller < 8 ? key : null }]
    if (caller < 26) return [{ ...poor, path: BRIEFING, key: null }]
    return [{ ...rich, path: caller % 5 === 0 ? RELIABILITY : BRIEFING, key: null }]
  }

  /** Compares the log after a kill with the replies that callers received; gives the books. */
  const expectKept = async (outcomes: ReadonlyArray<CallOutcome>): Promise<Books> => {
    all.push(...outcomes.map(forgetBody))
    for (const { call } of outcomes) if (call.key !== null) keys.set(bookedKey(call.account, call.key), call)
    const books = await readBooks(directory)
    for (const { id, made, settled, refunded } of books.debits.values())
      expect({ id, made, ends: settled + refunded }).toEqual({ id, made: 1, ends: expect.toBeOneOf([0, 1]) })
    expect(books.lowest).toBe(0)

    const replies = outcomes.flatMap(({ reply }) => (reply === null ? [] : [reply]))
    for (const reply of replies) {
      const receipt = claims.get(reply.receiptId) ?? (await readReceipt(reply))
      claims.set(reply.receiptId, receipt)
      expect(reply.remaining).toBeGreaterThanOrEqual(0)
      expect(receipt).toMatchObject({ endpoint: pathOf(reply.call), reason: reply.reason })
      expect(reply.charged).toBe(reply.replayed ? 0 : receipt.credits)
      if (!hasDebit(reply)) continue
      const debit = debitOf(books, reply, receipt)
      if (debit === undefined) continue
      const { account, purpose, credits, settled, refunded, charged } = debit
      expect({ account, purpose, settled, refunded, charged }).toEqual({
        account: reply.call.account,
        purpose: pathOf(reply.call),
        settled: 1,
        refunded: 0,
        charged: receipt.credits,
      })
      expect(receipt.credits === 0 || receipt.credits === credits).toBe(true)
      // Two answers to one debit are one answer, given again.
      expect(answeredBy.get(debit.id) ?? receipt.id).toBe(receipt.id)
      answeredBy.set(debit.id, receipt.id)
    }

    for (const debits of books.byKey.values())
      expect(debits.reduce((sum, { settled }) => sum + settled, 0)).toBeLessThanOrEqual(1)
    const settled = [...books.debits.values()].filter((debit) => debit.settled === 1)
    const free = (debit: BookedDebit) => debit.freeBecause === "empty_range"
    const freeReplies = all.filter(({ reply }) => reply?.reason === "empty_range" && !reply.replayed).length
    expect(freeReplies).toBeLessThanOrEqual(settled.filter(free).length)
    // A charge without a reply belongs to a call that got no answer, or a late one.
    const untold = settled.filter((debit) => debit.charged > 0 && !answeredBy.has(debit.id)).length
    expect(untold).toBeLessThanOrEqual(all.filter(({ status }) => status === null || status === 503).length)
    const charged = all.reduce((sum, { reply }) => sum + (reply?.charged ?? 0), 0)
    expect(charged).toBeLessThanOrEqual(settled.reduce((sum, { charged }) => sum + charged, 0))

    expect(await ledgerCommand({ DATA_DIR: directory }, "verify")).toMatchObject({ code: 0, stderr: "" })
    return books
  }

  /** The debit that a reply belongs to; undefined where nothing names it: it was free of charge, and without a key. */
  const debitOf = (books: Books, { call }: PremiumReply, { entry }: VerifiedClaims): BookedDebit | undefined => {
    if (entry !== null) {
      const debit = books.debitAt(entry.accountSequence, entry.hash)
      expect(debit).toBeDefined()
      return debit
    }
    if (call.key === null) return undefined
    const debits = books.byKey.get(bookedKey(call.account, call.key)) ?? []
    expect(debits.some(({ settled }) => settled === 1)).toBe(true)
    return debits.find(({ settled }) => settled === 1)
  }

  /** Repeats every key without a final reply, and compares the answers with the log as it was before the start. */
  const repeatKeys = async (books: Books): Promise<ReadonlyArray<CallOutcome>> => {
    const outcomes: Array<CallOutcome> = []
    const repeat = async ([key, call]: readonly [string, PremiumCall]) => {
      let attemptsNow = 0
      const one = await eventually(`${call.key} is answered`, async () => {
        const again = await askPremium(service.url, call)
        if (again === null) return undefined
        attemptsNow += 1
        outcomes.push(again)
        return again.status === 503 || again.status === null ? undefined : again
      })
      const attempts = books.byKey.get(key) ?? []
      const settled = attempts.find((debit) => debit.settled === 1)
      const open = attempts.some((debit) => debit.settled + debit.refunded === 0)
      const { reply, status, error } = one
      if (settled !== undefined) {
        expect({ status, replayed: reply?.replayed, charged: reply?.charged }).toEqual({
          ...{ status: 200, replayed: true, charged: 0 },
        })
        const before = firstReplies.get(key)
        if (before !== undefined) expect(reply?.bodyHash).toBe(before.bodyHash)
        keys.delete(key)
      } else if (open && status !== 200)
        expect({ status, error }).toEqual({ status: 409, error: "idempotency_key_in_flight" })
      // More empty ranges than an account may have in a day.
      else if (call.path === EMPTY_RANGE && status === 429) expect(error).toBe("free_allowance_spent")
      // One that was too late here may have been served nevertheless.
      else expect({ status, replayed: attemptsNow === 1 && reply?.replayed }).toEqual({ status: 200, replayed: false })
    }
    const firstReplies = new Map<string, PremiumReply>()
    for (const { reply } of all)
      if (reply !== null && reply.call.key !== null && hasDebit(reply)) {
        const key = bookedKey(reply.call.account, reply.call.key)
        // One key has one reply, whichever of the calls produced it.
        expect(reply.bodyHash).toBe(firstReplies.get(key)?.bodyHash ?? reply.bodyHash)
        firstReplies.set(key, reply)
      }
    const waiting = [...keys]
    while (waiting.length > 0) await Promise.all(waiting.splice(0, REPEATED_AT_ONCE).map(repeat))
    return outcomes
  }

  it(
    `has settled once what it answered, and at most once what it did not, ${ROUNDS} times under ${CALLERS} callers (seed ${SEED})`,
    async () => {
      let books: Books | null = null
      for (let round = 0; round < ROUNDS; round++) {
        const outcomes: Array<CallOutcome> = first.splice(0)
        if (round > 0) await start()
        // Every third one is killed as soon as it begins to serve.
        const early = round % 3 === 2
        if (!early) {
          await service.ready()
          if (books !== null) outcomes.push(...(await repeatKeys(books)))
          expect(await ledgerCommand(settings, "grant", poor.account, "20", ...OPERATOR)).toMatchObject({ code: 0 })
        }
        const callers = startCallers(service.url, CALLERS, callsOf(round))
        await callers.answered(1 + Math.floor(random("answers", round) * (early ? CALLERS : ANSWERS_MAX)))
        await sleep(random("moment", round) * 20)
        await service.end("SIGKILL")
        outcomes.push(...(await callers.stop()))
        books = await expectKept(outcomes)
      }

      // What was not settled is given back when its time is over.
      const balances = await passTime(directory, ORPHANED_MS, [rich.account, poor.account])
      books = await expectKept([])
      expect(balances).toEqual([rich, poor].map(({ account }) => books?.balances.get(account)))
      for (const { settled, refunded } of books.debits.values()) expect(settled + refunded).toBe(1)

      // Served again, each key is answered: with the reply that was paid for, or by a new attempt.
      await start()
      await service.ready()
      const outcomes = await repeatKeys(books)
      const conflicts = outcomes.filter(({ status }) => status === 409)
      expect(conflicts).toEqual([])
      const shown = await Promise.all(
        [rich, poor].map(({ account }) => ledgerCommand(settings, "show", account, "--json")),
      )
      expect(await service.end("SIGTERM"), service.output()).toBe(0)
      books = await expectKept(outcomes)
      expect(shown.map(({ stdout }) => JSON.parse(stdout).balance)).toEqual(
        [rich, poor].map(({ account }) => books?.balances.get(account)),
      )
      process.stdout.write(`${tally(books)}\n`)
    },
    ROUNDS * 120_000 + 300_000,
  )

  const tally = ({ debits }: Books): string => {
    const count = (of: (one: CallOutcome) => boolean) => all.filter(of).length
    const ended = (of: (debit: BookedDebit) => boolean) => [...debits.values()].filter(of).length
    return [
      `${ROUNDS} kills; ${count(() => true)} calls: ${count(({ reply }) => (reply?.charged ?? 0) > 0)} charged,`,
      `${count(({ reply }) => reply?.reason === "empty_range" && !reply.replayed)} free of charge,`,
      `${count(({ reply }) => reply?.replayed === true)} repeated, ${count(({ status }) => status === 402)} without credits,`,
      `${count(({ status }) => status === null)} without an answer;`,
      `${debits.size} debits: ${ended(({ settled }) => settled === 1)} settled, ${ended(({ refunded }) => refunded === 1)} given back`,
    ].join(" ")
  }
})
