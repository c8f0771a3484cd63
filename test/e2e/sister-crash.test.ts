import { type ChildProcess, spawn } from "node:child_process"
import { setTimeout as sleep } from "node:timers/promises"
import { fileURLToPath } from "node:url"
import { Agent } from "undici"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { makeRailClient, type RailClient } from "../sister/rail-client.ts"
import { DIGEST_COST, type SisterSpec } from "../sister/sister.ts"
import { eventually } from "../support/eventually.ts"
import { type BookedDebit, type Books, passTime, readBooks, verifyBooks } from "../support/ledger-books.ts"
import { grantNew, ledgerCommand } from "../support/ledger-command.ts"
import { freePort, removeDirectory, type Service, startService, temporaryDirectory } from "../support/service.ts"
import { askSister, type SisterCall, type SisterOutcome, startSisterCallers } from "../support/sister-callers.ts"
import { worldAt } from "../world/world.ts"

const ROUNDS = Number(process.env.ROUNDS ?? 4)
const SEED = process.env.CRASH_SEED ?? "sister"
const CALLERS = 32
/** A kill comes after at most so many answers. */
const ANSWERS_MAX = 200
/** The second process dies up to so much later than the first. */
const APART_MAX_MS = 60
/** A reservation that is not committed is returned after five minutes. */
const ORPHANED_MS = 6 * 60_000
const GRANTED = 100_000
const POOR_GRANTED = 40
const SECRET = "a-secret-of-this-test-for-sisters"
/** Nothing listens there: neither feeds nor the history matter here. */
const NOWHERE = "http://127.0.0.1:9"

interface SisterProcess {
  readonly kill: () => Promise<void>
}

describe.skipIf(process.platform !== "linux")("credits that a sister service spends, both killed at any moment", () => {
  const directory = temporaryDirectory()
  const { random } = worldAt(SEED, 0)
  const agent = new Agent()
  let railPort = 0
  let sisterPort = 0
  let service: Service
  let sister: SisterProcess
  let rail: RailClient
  let settings: Readonly<Record<string, string>>
  let rich: Pick<SisterCall, "account" | "token">
  let poor: Pick<SisterCall, "account" | "token">
  const railUrl = () => `http://127.0.0.1:${railPort}`
  const sisterUrl = () => `http://127.0.0.1:${sisterPort}`

  const startTidewire = async (level = "error") => {
    service = await startService({
      dataDirectory: directory,
      offered: [],
      environment: {
        UPSTREAMS: NOWHERE,
        CLICKHOUSE_URL: NOWHERE,
        LOG_LEVEL: level,
        INTERNAL_PORT: String(railPort),
        SISTER_SECRET: SECRET,
      },
    })
    settings = { DATA_DIR: directory, ADMIN_PORT: new URL(service.adminUrl).port }
  }
  const startSister = () => {
    const spec: SisterSpec = { railUrl: railUrl(), secret: SECRET, port: sisterPort }
    const script = fileURLToPath(new URL("../sister/main.ts", import.meta.url))
    const child: ChildProcess = spawn(process.execPath, [script, JSON.stringify(spec)], {
      stdio: ["ignore", "ignore", "inherit"],
    })
    const ended = new Promise<void>((resolve) => child.once("exit", () => resolve()))
    sister = {
      kill: () => {
        child.kill("SIGKILL")
        return ended
      },
    }
  }

  beforeAll(async () => {
    railPort = await freePort()
    sisterPort = await freePort()
    rail = makeRailClient({ url: railUrl(), secret: SECRET, dispatcher: agent })
    await startTidewire()
    startSister()
    await eventually("the ledger answers", async () => {
      const { accepted } = Object(await rail.commit({ reservation_id: "none", no_charge: true }))
      return accepted === undefined
    })
    rich = await eventually("the ledger is held", () => grantNew(settings, GRANTED))
    poor = await grantNew(settings, POOR_GRANTED)
  })
  afterAll(async () => {
    await Promise.all([service?.end("SIGKILL"), sister?.kill()])
    await agent.close()
    removeDirectory(directory)
  })

  const all: Array<SisterOutcome> = []
  /** Calls under a key that have no reply yet. */
  const unanswered = new Map<string, SisterCall>()

  const callOf = (round: number) => (caller: number, turn: number) => {
    const key = caller % 2 === 0 ? `${round}/${caller}/${turn}` : null
    const owner = caller < 4 ? poor : rich
    return { ...owner, key, text: (caller + turn) % 5 === 0 ? "" : `text-${turn}` }
  }

  const reservationOf = ({ id }: BookedDebit): string => id.split("/")[2] ?? ""

  /** Compares the log of stopped processes with the replies that callers received. */
  const expectKept = async (outcomes: ReadonlyArray<SisterOutcome>): Promise<Books> => {
    all.push(...outcomes)
    const books = await readBooks(directory)
    const bySister = new Map([...books.debits.values()].map((debit) => [reservationOf(debit), debit]))
    // One reservation is one debit.
    expect(bySister.size).toBe(books.debits.size)
    for (const { id, purpose, credits, made, settled, refunded } of books.debits.values())
      expect({ id, purpose, credits, made, ends: settled + refunded }).toEqual({
        ...{ id, purpose: "sister:digest", credits: DIGEST_COST, made: 1 },
        ends: expect.toBeOneOf([0, 1]),
      })
    expect(books.lowest).toBe(0)

    const answered = new Map<string, string>()
    for (const { call, reply } of all) {
      if (reply === null) continue
      const debit = bySister.get(reply.reservation_id)
      const isFree = call.text === ""
      expect(reply.credits_charged).toBe(isFree ? 0 : DIGEST_COST)
      expect({ ...debit }).toMatchObject({
        account: call.account,
        settled: isFree ? 0 : 1,
        refunded: isFree ? 1 : 0,
        charged: reply.credits_charged,
      })
      // A repeated call has the bytes of the first reply.
      const bytes = JSON.stringify(reply)
      expect(answered.get(reply.reservation_id) ?? bytes).toBe(bytes)
      answered.set(reply.reservation_id, bytes)
    }
    for (const { call, reply } of outcomes) {
      if (call.key === null) continue
      if (reply === null) unanswered.set(call.key, call)
      else unanswered.delete(call.key)
    }
    // Charged without a reply: at most the calls that got none, or a late one.
    const charged = [...books.debits.values()].filter((debit) => debit.charged > 0)
    const unreported = charged.filter((debit) => !answered.has(reservationOf(debit))).length
    const lost = all.filter(({ status }) => status === null || status === 503).length
    expect(unreported).toBeLessThanOrEqual(lost)

    for (const [{ account }, granted] of [
      [rich, GRANTED],
      [poor, POOR_GRANTED],
    ] as const) {
      const own = [...books.debits.values()].filter((debit) => debit.account === account)
      const taken = own.reduce(
        (sum, { charged, credits, settled, refunded }) => sum + charged + (settled + refunded === 0 ? credits : 0),
        0,
      )
      expect(books.balances.get(account)).toBe(granted - taken)
    }
    const sum = [...books.balances.values()].reduce((total, balance) => total + balance, 0)
    expect(await verifyBooks(directory)).toMatchObject({ offence: null, balance: sum, shortfall: 0 })
    return books
  }

  /** Repeats calls without a reply under their keys: each is answered, and charged once at the most. */
  const repeatUnanswered = async (): Promise<ReadonlyArray<SisterOutcome>> => {
    const outcomes = await Promise.all(
      [...unanswered.values()].slice(0, CALLERS).map((call) =>
        eventually(`${call.key} is answered`, async () => {
          const again = await askSister(sisterUrl(), call)
          return again === null || again.status === null || again.status === 503 ? undefined : again
        }),
      ),
    )
    // 409: it was reserved by a call of long ago, and returned. 402: the credits are gone.
    for (const { status } of outcomes) expect([200, 402, 409]).toContain(status)
    return outcomes
  }

  const killBoth = async (round: number): Promise<void> => {
    const apartMs = random("apart", round) * APART_MAX_MS
    const ends = [() => service.end("SIGKILL"), () => sister.kill()]
    if (random("first", round) < 0.5) ends.reverse()
    const first = ends[0]?.()
    // Every third time at once, else one goes on without the other for a while.
    if (round % 3 !== 0) await sleep(apartMs)
    await Promise.all([first, ends[1]?.()])
  }

  it("are charged once where Tidewire is killed between reserve and commit, and returned where the sister is", async () => {
    const { token } = rich
    const reserve = (reservation_id: string) =>
      rail.validate({ token, cost: DIGEST_COST, endpoint: "digest", reservation_id })
    const reserved = [await reserve("a-1"), await reserve("a-2"), await reserve("a-3")]
    await service.end("SIGKILL")
    await startTidewire("trace")
    const end = (reservation_id: string, no_charge: boolean) =>
      eventually("the ledger answers again", async () => {
        const answer = await rail.commit({ reservation_id, no_charge })
        return "status" in answer && answer.status === 503 ? undefined : answer
      })
    expect(await end("a-1", false)).toMatchObject({ accepted: { credits_charged: 3, credits_remaining: GRANTED - 9 } })
    expect(await end("a-2", true)).toMatchObject({ accepted: { credits_charged: 0, credits_remaining: GRANTED - 6 } })
    await eventually("the start is logged", () => service.output().includes('"msg":"started"'))
    await service.end("SIGKILL")
    // Neither the secret nor a token is logged, at any level.
    for (const secret of [SECRET, token]) expect(service.output()).not.toContain(secret)
    await startTidewire()
    // The answers were lost with a sister that was killed, and are the same when it asks again.
    expect(await end("a-1", false)).toMatchObject({ accepted: { credits_charged: 3, credits_remaining: GRANTED - 9 } })
    expect([await reserve("a-1"), await reserve("a-2"), await reserve("a-3")]).toEqual(reserved)
    await service.end("SIGKILL")
    // The third is not committed: it stays reserved until its time is over.
    expect(await passTime(directory, 0, [rich.account])).toEqual([GRANTED - 6])
    await startTidewire()
  })

  it(
    `have been charged once for what was answered, and at most once for what was not, ${ROUNDS} times under ${CALLERS} callers (seed ${SEED})`,
    async () => {
      for (let round = 0; round < ROUNDS; round++) {
        if (round > 0) {
          await startTidewire()
          startSister()
        }
        const again = await repeatUnanswered()
        const callers = startSisterCallers(sisterUrl(), CALLERS, callOf(round))
        await callers.answered(1 + Math.floor(random("answers", round) * ANSWERS_MAX))
        await sleep(random("moment", round) * 20)
        await killBoth(round)
        await expectKept([...again, ...(await callers.stop())])
      }

      // What was not committed is returned when its time is over.
      const balances = await passTime(directory, ORPHANED_MS, [rich.account, poor.account])
      const books = await expectKept([])
      expect(balances).toEqual([rich, poor].map(({ account }) => books.balances.get(account)))
      for (const { settled, refunded } of books.debits.values()) expect(settled + refunded).toBe(1)
      expect(await ledgerCommand({ DATA_DIR: directory }, "verify")).toMatchObject({ code: 0, stderr: "" })

      await startTidewire()
      const shown = await eventually("the account is shown", async () => {
        const { code, stdout } = await ledgerCommand(settings, "show", rich.account, "--json")
        return code === 0 ? JSON.parse(stdout) : undefined
      })
      const spent = GRANTED - (balances[0] ?? 0)
      expect(shown).toMatchObject({ balance: balances[0], spent, spentBySister: spent })
      const count = (of: (one: SisterOutcome) => boolean) => all.filter(of).length
      process.stdout.write(
        `${ROUNDS} rounds; ${all.length} calls: ${count(({ reply }) => (reply?.credits_charged ?? 0) > 0)} charged, ${count(({ reply }) => reply?.credits_charged === 0)} free of charge, ${count(({ status }) => status === 402)} without credits, ${count(({ status }) => status === 503)} refused for want of the rail, ${count(({ status }) => status === null)} without an answer; ${books.debits.size} reservations\n`,
      )
    },
    ROUNDS * 60_000 + 300_000,
  )
})
