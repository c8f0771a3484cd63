import { describe, expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import { TestClock } from "effect/testing"
import fc from "fast-check"
import type { Transaction } from "../../ledger/chain.port.ts"
import { type Answer, agreed, askProviders, judge, reachedBy, type TransactionSight, unavailable } from "./agreement.ts"
import type { Provider } from "./rpc.ts"
import { ProviderFailed } from "./rpc-http.ts"

const transaction: Transaction = {
  chainId: 8453,
  hash: `0x${"ab".repeat(32)}`,
  wallet: `0x${"44".repeat(20)}`,
  contract: `0x${"83".repeat(20)}`,
  block: { hash: `0x${"bc".repeat(32)}`, number: 100, atMs: 1_000 },
  confirmations: 6,
  depth: "latest",
  call: { from: `0x${"11".repeat(20)}`, to: null, selector: null, argument: null },
  transfers: [{ position: 0, logIndex: 3, payer: `0x${"11".repeat(20)}`, units: 5, authorization: null }],
}
const seen = (rest: Partial<Transaction> = {}, failed = false): TransactionSight => ({
  _tag: "seen",
  head: 105,
  failed,
  transaction: { ...transaction, ...rest },
})
const unknown = (head = 105): TransactionSight => ({ _tag: "unknown", head })
const said = (...sights: ReadonlyArray<TransactionSight>): ReadonlyArray<Answer<TransactionSight>> =>
  sights.map((value, provider) => ({ provider, value }))
const paying = (units: number) => seen({ transfers: transaction.transfers.map((one) => ({ ...one, units })) })
const elsewhere = seen({ block: { ...transaction.block, hash: `0x${"de".repeat(32)}` } })

describe("what providers see", () => {
  it.each<[string, ReadonlyArray<TransactionSight>, number, string]>([
    ["one alone is believed where one is enough", [seen()], 1, "mined"],
    ["two alike are found", [seen(), seen()], 2, "mined"],
    ["one of two is not enough", [seen()], 2, "nothing"],
    ["who does not know it says nothing against it", [unknown(), seen(), seen()], 2, "mined"],
    ["one who knows is not enough", [unknown(), seen()], 2, "nothing"],
    ["two who do not know outweigh one who does", [unknown(), seen(), unknown()], 2, "unknown"],
    ["a lone lie about the amount changes nothing", [paying(9), seen(), seen()], 2, "mined"],
    ["a lone lie about the status changes nothing", [seen({ transfers: [] }, true), seen(), seen()], 2, "mined"],
    ["nothing is said where each says something else", [paying(9), seen(), elsewhere], 2, "nothing"],
    ["nothing is said where two stand against two", [seen(), seen(), elsewhere, elsewhere], 2, "nothing"],
    ["a failed one needs as many", [seen({}, true), seen({}, true), unknown()], 2, "failed"],
  ])("%s", (_, sights, agreement, expected) => {
    expect(judge(said(...sights), agreement, 0).found?._tag ?? "nothing").toBe(expected)
  })
  it("are those who differ in the depth alone alike, and it is as deep as enough of them say", () => {
    const sights = said(
      seen({ confirmations: 1_000_000, depth: "finalized" }),
      seen({ confirmations: 6, depth: "safe" }),
      seen({ confirmations: 2, depth: "latest" }),
    )
    expect(judge(sights, 2, 0).found).toMatchObject({ transaction: { confirmations: 6, depth: "safe" } })
    expect(judge(sights, 3, 0).found).toMatchObject({ transaction: { confirmations: 2, depth: "latest" } })
  })
  it("is nothing where those who do not know it are behind", () => {
    expect(judge(said(unknown(105), unknown(74), unknown(105)), 2, 0).found?._tag).toBe("unknown")
    expect(judge(said(unknown(105), unknown(75)), 2, 105).found?._tag).toBe("unknown")
    expect(judge(said(unknown(105), unknown(74)), 2, 105).found).toBeNull()
    expect(judge(said(unknown(40), unknown(40), seen()), 2, 105).found).toBeNull()
  })
  it("is not hidden by one who claims a newer block than there is", () => {
    expect(judge(said(unknown(), unknown(), unknown(1_000_000)), 2, 0)).toMatchObject({
      found: { _tag: "unknown" },
      head: 105,
    })
  })
  it("names who contradicts, and not who is only a little ahead", () => {
    expect(judge(said(seen(), paying(9), seen()), 2, 0).dissenters).toEqual([1])
    expect(judge(said(unknown(), seen(), unknown()), 2, 0).dissenters).toEqual([])
    expect(judge(said(unknown(200), seen(), unknown(200)), 2, 0).dissenters).toEqual([1])
  })

  const depths = ["latest", "safe", "finalized"] as const
  const anySight = fc.oneof(
    fc.record({ _tag: fc.constant("unknown" as const), head: fc.nat(1_000_000) }),
    fc
      .record({
        units: fc.integer({ min: 1, max: 3 }),
        confirmations: fc.nat(1_000_000),
        depth: fc.constantFrom(...depths),
        number: fc.integer({ min: 99, max: 101 }),
        failed: fc.boolean(),
        head: fc.nat(1_000_000),
      })
      .map(
        ({ units, confirmations, depth, number, failed, head }): TransactionSight => ({
          _tag: "seen",
          head,
          failed,
          transaction: {
            ...transaction,
            confirmations,
            depth,
            block: { ...transaction.block, number },
            transfers: transaction.transfers.map((one) => ({ ...one, units })),
          },
        }),
      ),
  )
  const honest = seen()

  it("stay the truth whatever one of three says, and whenever it says it", () => {
    fc.assert(
      fc.property(anySight, fc.nat(2), (lie, at) => {
        const found = judge(said(...[honest, honest].toSpliced(at, 0, lie)), 2, 105).found
        expect(found).toEqual({ _tag: "mined", transaction })
      }),
    )
  })
  it("stay nothing when nothing is there, whatever one of three says", () => {
    fc.assert(
      fc.property(anySight, fc.nat(2), (lie, at) => {
        expect(judge(said(...[unknown(), unknown()].toSpliced(at, 0, lie)), 2, 105).found).toEqual({ _tag: "unknown" })
      }),
    )
  })
  it("are never anything that fewer than the agreement say", () => {
    fc.assert(
      fc.property(fc.array(anySight, { maxLength: 6 }), fc.integer({ min: 1, max: 6 }), (sights, agreement) => {
        const { found } = judge(said(...sights), agreement, 0)
        if (found === null) return
        const alike = sights.filter((sight) => {
          if (sight._tag === "unknown" || found._tag === "unknown") return sight._tag === found._tag
          if (sight.failed || found._tag === "failed") return sight.failed === (found._tag === "failed")
          const { confirmations, depth, ...facts } = found.transaction
          const { confirmations: itsConfirmations, depth: itsDepth, ...itsFacts } = sight.transaction
          return (
            JSON.stringify(facts) === JSON.stringify(itsFacts) &&
            itsConfirmations >= confirmations &&
            depths.indexOf(itsDepth) >= depths.indexOf(depth)
          )
        })
        expect(alike.length).toBeGreaterThanOrEqual(agreement)
      }),
    )
  })
})

describe("single values", () => {
  const values = (...all: ReadonlyArray<string | boolean>) => all.map((value, provider) => ({ provider, value }))
  it("are agreed on by enough, and by no others as many", () => {
    expect(agreed(values("a", "b", "a"), 2)).toEqual({ value: "a" })
    expect(agreed(values(false, false), 2)).toEqual({ value: false })
    expect(agreed(values("a", "b"), 2)).toBeNull()
    expect(agreed(values("a", "b"), 1)).toBeNull()
    expect(agreed(values(), 1)).toBeNull()
  })
  it("are reached by enough", () => {
    expect(reachedBy([3, 1, 2], 2)).toBe(2)
    expect(reachedBy([3], 2)).toBeNull()
  })
})

describe("hearing", () => {
  const failure = new ProviderFailed({ provider: 2, reason: "rate_limited", retryAfterMs: 7_100 })
  const provider = (index: number): Provider => ({
    index,
    ready: Effect.void,
    call: () => Effect.never,
    read: () => Effect.never,
  })

  it.effect("ends soon after enough have answered, without those who hang", () =>
    Effect.gen(function* () {
      const asking = yield* askProviders(
        [provider(0), provider(1), provider(2)],
        ({ index }) => (index === 1 ? Effect.never : Effect.succeed(index)),
        (answers) => answers.length >= 2,
      ).pipe(Effect.forkChild)
      yield* TestClock.adjust("1 second")
      const { answers, failures } = yield* Fiber.join(asking)
      expect([answers.map(({ value }) => value).toSorted(), failures]).toEqual([[0, 2], []])
    }),
  )
  it.effect("waits for the others as long as there are not enough, and not for ever", () =>
    Effect.gen(function* () {
      const asking = yield* askProviders(
        [provider(0), provider(1), provider(2)],
        ({ index }) => (index === 2 ? Effect.never : Effect.succeed(index).pipe(Effect.delay(`${5 * index} seconds`))),
        () => false,
      ).pipe(Effect.forkChild)
      yield* TestClock.adjust("10 seconds")
      expect((yield* Fiber.join(asking)).answers.map(({ value }) => value)).toEqual([0, 1])
    }),
  )
  it("ends when all have failed", async () => {
    const heard = await Effect.runPromise(
      askProviders(
        [provider(2)],
        () => Effect.fail(failure),
        () => true,
      ),
    )
    expect(heard).toEqual({ answers: [], failures: [failure] })
  })
  it("gives the reason for no answer, and when to retry", () => {
    const none = unavailable({ answers: [], failures: [failure] }, 2, 2)
    expect(none.problem).toBe("0 of 2 providers answer, 2 are needed (1 rate_limited, 1 timeout)")
    expect(none.retryAfterSeconds).toBe(8)
    const many = unavailable({ answers: said(seen(), elsewhere), failures: [] }, 2, 2)
    expect(many.problem).toBe("no 2 of 2 providers agree")
    expect(unavailable({ answers: [], failures: [] }, 1, 1).retryAfterSeconds).toBeGreaterThan(0)
  })
})
