import { mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import * as Effect from "effect/Effect"
import * as fc from "fast-check"
import { describe, expect, it } from "vitest"
import { openLmdbState } from "../../../infra/state/lmdb-state.ts"
import { decide, evolve } from "../../../ledger/model/decider.ts"
import { firstTail } from "../../../ledger/model/entry.ts"
import { initialState, type State } from "../../../ledger/model/state.ts"
import type { StateStore } from "../../../ledger/state-store.port.ts"
import { makeStateKeeper, type StateKeeper, startPosition, stateTables } from "../../../ledger/write/state-cache.ts"
import { clientOf, given, hashOf, NOON_MS } from "./given.ts"
import { contentsOf, makeMemoryStore } from "./kept.ts"
import { commandOf, type Step, steps } from "./moves.ts"

const RUNS = Number(process.env.RUNS ?? 1_000)
const seed = Number(process.env.SEED ?? Date.now() % 2 ** 31)
process.stdout.write(`ledger state: SEED=${seed} RUNS=${RUNS}\n`)

/** What happens to the store after a step: nothing, a write, a crash that loses what was not written. */
const after = fc.constantFrom("nothing" as const, "nothing" as const, "write" as const, "crash" as const)
const quotes = fc.array(
  fc.record({ memo: fc.nat(9), afterMs: fc.constantFrom(0, 60_000, 40 * 60_000, 95 * 86_400_000) }),
)

const keptBy = async (store: StateStore, heldMax: number): Promise<StateKeeper> => {
  const keeper = makeStateKeeper(await Effect.runPromise(store.hold(stateTables)), { heldMax })
  if (keeper === undefined) throw new Error("the store has another format")
  return keeper
}

/**
 * Plays a run on a state that is kept, decides each command on it and on the pure fold, and lets it crash: what was not
 * written is folded again, as the log would.
 */
const playKept = async (
  store: StateStore,
  run: ReadonlyArray<Step>,
  asked: ReadonlyArray<{ readonly memo: number; readonly afterMs: number }>,
  events: ReadonlyArray<"nothing" | "write" | "crash">,
): Promise<void> => {
  const pure = given()
  let keeper = await keptBy(store, 2)
  let folded = 0
  let nowMs = NOON_MS
  const catchUp = (state: State) => {
    for (const [event, atMs] of pure.history.slice(folded)) evolve(state, event, atMs)
    folded = pure.history.length
  }
  const debits: Array<string> = []
  const commands = [
    ...run.map(({ move, afterMs }, index) => ({
      afterMs,
      command: () =>
        commandOf(
          move,
          (account) => pure.state.accounts.get(account)?.token?.hash ?? hashOf("none"),
          (nth) => debits[nth % Math.max(1, debits.length)] ?? "none",
          `debit ${index}`,
        ),
    })),
    ...asked.map(({ memo, afterMs }, index) => ({
      afterMs,
      command: () =>
        ({
          _tag: "issueQuote",
          askedCents: 100,
          memoHash: `0x${hashOf(`memo ${memo}`)}`,
          tail: index + 1,
          client: clientOf(`c${memo % 3}`),
        }) as const,
    })),
  ]
  for (const [index, { command: commandNow, afterMs }] of commands.entries()) {
    nowMs += afterMs
    const command = commandNow()
    const decided = decide(keeper.state, command, nowMs)
    const outcome = pure.when(command, nowMs)
    expect(decided._tag === "Success" ? decided.success : { refused: decided.failure }).toEqual(outcome)
    if ("answer" in outcome && "debit" in outcome.answer) debits.push(outcome.answer.debit)
    catchUp(keeper.state)
    const event = events[index % Math.max(1, events.length)]
    if (event === "write")
      await Effect.runPromise(keeper.flush({ offset: folded - 1, sequence: folded, hash: firstTail.hash }))
    if (event === "crash") {
      keeper = await keptBy(store, 2)
      folded = keeper.base?.sequence ?? 0
      catchUp(keeper.state)
    }
  }
  expect(contentsOf(keeper.state)).toEqual(contentsOf(pure.state))
  const replayed = initialState()
  for (const [event, atMs] of pure.history) evolve(replayed, event, atMs)
  expect(contentsOf(keeper.state)).toEqual(contentsOf(replayed))
}

describe("the state that is kept beside its offset", () => {
  it(`decides as the pure fold does and equals it, wherever it was written and crashed (${RUNS} runs)`, async () => {
    await fc.assert(
      fc.asyncProperty(steps, quotes, fc.array(after, { minLength: 1 }), (run, asked, events) =>
        playKept(makeMemoryStore().store, run, asked, events),
      ),
      { numRuns: RUNS, seed },
    )
  })

  it("does so on disk", async () => {
    const directory = await mkdtemp(join(tmpdir(), "tidewire-state-"))
    let n = 0
    try {
      await fc.assert(
        fc.asyncProperty(steps, quotes, fc.array(after, { minLength: 1 }), (run, asked, events) =>
          Effect.runPromise(
            Effect.scoped(
              Effect.flatMap(openLmdbState({ path: join(directory, `${n++}`) }), (store) =>
                Effect.promise(() => playKept(store, run, asked, events)),
              ),
            ),
          ),
        ),
        { numRuns: Math.ceil(RUNS / 50), seed },
      )
    } finally {
      await rm(directory, { recursive: true, force: true })
    }
  })

  it("keeps in memory what is in use, what has changed, and what is in flight; no more", async () => {
    const memory = makeMemoryStore()
    const keeper = await keptBy(memory.store, 100)
    for (let n = 0; n < 10_000; n++) {
      const grant = { account: `account ${n}`, credits: 5, operator: "jane", reason: "a test", payment: null }
      evolve(keeper.state, { type: "credits.granted", data: grant }, NOON_MS + n)
    }
    expect(keeper.held()).toBeGreaterThanOrEqual(10_000)
    await Effect.runPromise(keeper.flush({ ...startPosition, offset: 9_999, sequence: 10_000 }))
    // The accounts, and their order.
    expect(keeper.held()).toBeLessThanOrEqual(2 * 100)
    for (let n = 0; n < 10_000; n += 7) expect(keeper.state.accounts.get(`account ${n}`)).toMatchObject({ balance: 5 })
    expect(keeper.held()).toBeLessThanOrEqual(2 * 100)
    expect(memory.reads()).toBeGreaterThan(1_000)
  })

  it("keeps what could not be written, and writes it with what comes", async () => {
    const memory = makeMemoryStore()
    const keeper = await keptBy(memory.store, 2)
    const grant = (account: string) =>
      ({
        type: "credits.granted",
        data: { account, credits: 5, operator: "jane", reason: "a test", payment: null },
      }) as const
    for (const account of ["a", "b", "c"]) evolve(keeper.state, grant(account), NOON_MS)
    memory.failing = true
    await Effect.runPromise(keeper.flush({ ...startPosition, offset: 2, sequence: 3 }))
    expect(keeper.state.accounts.get("a")).toMatchObject({ balance: 5 })
    evolve(keeper.state, grant("a"), NOON_MS)
    memory.failing = false
    await Effect.runPromise(keeper.flush({ ...startPosition, offset: 3, sequence: 4 }))
    const again = await keptBy(memory.store, 2)
    expect(again.base).toMatchObject({ offset: 3, sequence: 4 })
    expect(contentsOf(again.state)).toEqual(contentsOf(keeper.state))
    expect(again.state.accounts.get("a")).toMatchObject({ balance: 10 })
  })
})
