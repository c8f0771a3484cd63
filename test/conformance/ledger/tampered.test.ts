import { cp } from "node:fs/promises"
import { join } from "node:path"
import { expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { describe } from "vitest"
import { openLmdbState } from "../../../infra/state/lmdb-state.ts"
import { event, makeEntry } from "../../../ledger/model/entry.ts"
import type { Account, OpenDebit } from "../../../ledger/model/state.ts"
import {
  type HeldStore,
  type RowKey,
  type StateDamaged,
  type StateStore,
  StateUnwritable,
} from "../../../ledger/state-store.port.ts"
import { verifyCached } from "../../../ledger/verify/cached.ts"
import { foldLedger, stateRebuilds } from "../../../ledger/write/fold-log.ts"
import type { Ledger } from "../../../ledger/write/session.ts"
import { STATE_FORMAT, stateTables } from "../../../ledger/write/state-cache.ts"
import { openLedger } from "../../../ledger/write/writer.ts"
import type { EventLog } from "../../../schemas/ports/event-log.ts"
import { makeMemoryLog } from "../../support/memory-log.ts"
import { ACCOUNTS, balances, expectSame, listening, sceneWith, spend, tokenOf } from "./cached-scene.ts"
import { debit } from "./given.ts"
import { makeMemoryStore } from "./kept.ts"
import { editRow, entriesOf, raise, raw, rowOf } from "./raw-cache.ts"

// The cached state, changed on purpose: write access to its folder must not mint a credit.

const [SECRET, NEWER, STRANGE] = ["a".repeat(64), "b".repeat(64), "c".repeat(64)]

/** Replaces a whole table by that of a copy. */
const restoreTable = (path: string, copy: string, name: string) =>
  Effect.flatMap(
    raw(copy, ({ table }) => entriesOf(table(name))),
    (rows) =>
      raw(path, async ({ table }) => {
        await table(name).clearAsync()
        for (const [key, text] of rows) await table(name).put(key, text)
      }),
  )

/** What is done to the cache at `path`, which has debited each account once since the copy at `earlier` was taken. */
const changes: ReadonlyArray<readonly [string, (path: string, earlier: string) => Effect.Effect<unknown>]> = [
  ["whose balance was raised", (path) => editRow(path, "account 7", (text) => raise(text, "balance"))],
  [
    "whose balance and credits were raised together",
    (path) => editRow(path, "account 7", (text) => raise(text, "balance", "added")),
  ],
  [
    "with an older row of an account",
    (path, earlier) =>
      Effect.flatMap(
        raw(earlier, ({ table }) => rowOf(table("accounts"), "account 7")),
        ([, text]) => editRow(path, "account 7", () => text),
      ),
  ],
  [
    "without the row of an account",
    (path) =>
      raw(path, async ({ table }) => void (await table("accounts").remove(rowOf(table("accounts"), "account 7")[0]))),
  ],
  ["without its open debits", (path) => raw(path, ({ table }) => table("openDebits").clearAsync())],
  ["with all accounts of an earlier entry", (path, earlier) => restoreTable(path, earlier, "accounts")],
  [
    "with the head of an earlier entry",
    (path, earlier) =>
      Effect.flatMap(
        raw(earlier, ({ meta }) => meta.get("head")),
        (head) => raw(path, async ({ meta }) => void (await meta.put("head", head ?? ""))),
      ),
  ],
]

const rebuiltFor = (reason: string) =>
  Effect.promise(async () => (await stateRebuilds.get()).values.find((one) => one.labels.reason === reason)?.value)

/** A funded ledger that has debited each account once, and a copy of its cache from before. */
const spentScene = Effect.fnUntraced(function* (secrets?: ReadonlyArray<string>) {
  const { directory, path, log } = yield* sceneWith(secrets)
  const earlier = join(directory, "earlier")
  yield* Effect.promise(() => cp(path, earlier, { recursive: true }))
  yield* spend(log, path, "first", secrets)
  return { directory, path, earlier, log }
})

describe.each<readonly [string, ReadonlyArray<string> | undefined]>([
  ["sealed with a secret", [SECRET]],
  ["sealed without a secret", undefined],
])("a cached state, %s,", (_, secrets) => {
  it.live.each(changes)("%s is discarded when it is loaded, and folded again from the log", ([, change]) =>
    listening((said) =>
      Effect.gen(function* () {
        const { path, earlier, log } = yield* spentScene(secrets)
        yield* change(path, earlier)
        const before = yield* rebuiltFor("damage")
        expect(yield* spend(log, path, "second", secrets)).toEqual(balances(2))
        expect(said.join()).toContain("it is folded again from the log")
        expect(yield* rebuiltFor("damage")).toBe((before ?? Number.NaN) + 1)
        yield* expectSame(log, path, secrets)
      }),
    ),
  )

  it.live("that is the whole one of an earlier entry is folded on from, as it is what the log says up to there", () =>
    listening((said) =>
      Effect.gen(function* () {
        const { earlier, log } = yield* spentScene(secrets)
        expect(yield* spend(log, earlier, "second", secrets)).toEqual(balances(2))
        expect(said).toEqual([])
      }),
    ),
  )
})

describe("a cached state", () => {
  it.live("cannot be written without its secret", () =>
    listening((said) =>
      Effect.gen(function* () {
        const { path, log } = yield* spentScene([SECRET])
        for (const [round, strange] of [undefined, [STRANGE]].entries()) {
          // Sealed as the code itself does, without the secret and with another one.
          yield* Effect.scoped(
            Effect.gen(function* () {
              const store = yield* openLmdbState({ path, secrets: strange })
              yield* store.discard
              const ledger = yield* openLedger({ log, state: store })
              yield* ledger.submit(debit(tokenOf(0), `by another ${round}`))
            }),
          )
          yield* spend(log, path, `after ${round}`, [SECRET])
          expect(said[round]).toContain("it was sealed with another key; it is folded again from the log")
        }
        yield* expectSame(log, path, [SECRET])
        expect(said).toHaveLength(2)
      }),
    ),
  )

  it.live("outlives a new secret, and the end of the old one, without being folded again", () =>
    listening((said) =>
      Effect.gen(function* () {
        const { path, log } = yield* sceneWith([SECRET])
        // A start that writes nothing is enough.
        yield* Effect.scoped(
          Effect.flatMap(openLmdbState({ path, secrets: [NEWER, SECRET] }), (store) => store.hold(stateTables)),
        )
        expect(yield* spend(log, path, "new alone", [NEWER])).toEqual(balances(1))
        expect(said).toEqual([])
        expect(yield* spend(log, path, "old alone", [SECRET])).toEqual(balances(2))
        expect(said.join()).toContain("sealed with another key")
      }),
    ),
  )

  it.live("is not read where a row was changed beside the process that holds it", () =>
    listening((said) =>
      Effect.gen(function* () {
        const { path, log } = yield* spentScene([SECRET])
        const spent = yield* Effect.scoped(
          Effect.gen(function* () {
            const state = yield* openLmdbState({ path, secrets: [SECRET] })
            const ledger = yield* openLedger({ log, state, stateLimits: { heldMax: 2 } })
            const balanceOf = (n: number) =>
              Effect.map(
                ledger.submit({ _tag: "readAccount", by: { token: tokenOf(n) } }),
                ({ answer }) => answer.balance,
              )
            expect(yield* balanceOf(0)).toBe(999)
            yield* editRow(path, "account 7", (text) => raise(text, "balance", "added"))
            return yield* balanceOf(7)
          }),
        )
        expect(spent).toBe(1_006)
        expect(said.join()).toContain("a row of accounts has changed")
      }),
    ),
  )

  const contradictory = (store: string, value: (rows: ReadonlyMap<RowKey, unknown>) => readonly [RowKey, unknown]) =>
    listening((said) =>
      Effect.gen(function* () {
        const { path, log } = yield* spentScene()
        // Sealed as it should be: without a secret, that takes no key.
        yield* Effect.scoped(
          Effect.gen(function* () {
            const held = yield* (yield* openLmdbState({ path })).hold(stateTables)
            const [key, changed] = value(new Map(held.rows(store)))
            yield* held.write([{ table: store, key, value: changed }], held.head)
          }),
        )
        const before = yield* rebuiltFor("contradiction")
        expect(yield* spend(log, path, "second")).toEqual(balances(2))
        expect(yield* rebuiltFor("contradiction")).toBe((before ?? Number.NaN) + 1)
        yield* expectSame(log, path)
        return said.join()
      }),
    )

  it.live("is discarded where the sums of an account contradict each other, however well it is sealed", () =>
    Effect.gen(function* () {
      const said = yield* contradictory("accounts", (rows) => {
        const account = rows.get("account 7") as Account
        return [account.id, { ...account, balance: account.balance + 5_000 }]
      })
      expect(said).toContain("account 7: added 1007, spent 0, open 1, but balance 6006, shortfall 0")
    }),
  )

  it.live("is discarded where the open debits contradict an account, however well it is sealed", () =>
    Effect.gen(function* () {
      type Page = ReadonlyArray<readonly [number, string, OpenDebit]>
      const said = yield* contradictory("openDebits", (rows) => {
        const [[place, page] = [0, []]] = rows as ReadonlyMap<number, Page>
        return [
          place,
          page.map(([at, id, one]) => [at, id, one.account === "account 7" ? { ...one, credits: 500 } : one]),
        ]
      })
      expect(said).toContain("account 7: open 1, but its open debits are of 500")
    }),
  )
})

describe("a verification of the cached state", () => {
  const verified = (log: EventLog, path: string) =>
    Effect.scoped(Effect.flatMap(openLmdbState({ path }), (store) => verifyCached(log, store)))
  const rewritten = (path: string, use: (held: HeldStore) => Effect.Effect<unknown, StateDamaged | StateUnwritable>) =>
    Effect.scoped(Effect.flatMap(openLmdbState({ path }), (store) => Effect.flatMap(store.hold(stateTables), use)))

  it.live("holds for the fold of the log, also for that of an earlier entry", () =>
    Effect.gen(function* () {
      const { path, earlier, log } = yield* spentScene()
      const entries = yield* log.end("ledger")
      expect(yield* verified(log, path)).toEqual({ sequence: entries, verdict: "same", problem: null })
      expect(yield* verified(log, earlier)).toMatchObject({ sequence: entries - ACCOUNTS, verdict: "same" })
    }),
  )

  it.live.each(changes)("%s fails", ([, change]) =>
    Effect.gen(function* () {
      const { path, earlier, log } = yield* spentScene()
      yield* change(path, earlier)
      expect(yield* verified(log, path)).toEqual({
        sequence: null,
        verdict: "wrong",
        problem: "its content has changed since it was written",
      })
    }),
  )

  it.live("names the row that is not what the log says, however well it is sealed", () =>
    Effect.gen(function* () {
      const { path, log } = yield* spentScene()
      yield* rewritten(path, (held) => {
        const account = held.get("accounts", "account 7") as Account
        const richer = { ...account, balance: account.balance + 5_000, added: account.added + 5_000 }
        return held.write([{ table: "accounts", key: account.id, value: richer }], held.head)
      })
      expect(yield* verified(log, path)).toMatchObject({
        verdict: "wrong",
        problem: "its accounts differ in account 7",
      })
      yield* rewritten(path, (held) =>
        held.write([{ table: "accounts", key: "account 7", value: undefined }], held.head),
      )
      expect(yield* verified(log, path)).toMatchObject({
        verdict: "wrong",
        problem: "its accounts have 1 rows too few",
      })
    }),
  )

  it.live("distinguishes a state that is of no use from one that is wrong", () =>
    Effect.gen(function* () {
      const { path, earlier, log } = yield* spentScene()
      yield* rewritten(path, (held) => held.write([], { ...(held.head as object), format: STATE_FORMAT - 1 }))
      expect(yield* verified(log, path)).toMatchObject({ verdict: "unusable", problem: "its format is another" })
      const full: StateStore = {
        hold: () => new StateUnwritable({ problem: "the disk is full" }),
        discard: Effect.void,
      }
      expect(yield* verifyCached(log, full)).toMatchObject({ verdict: "unread", problem: "the disk is full" })
      const cut = makeMemoryLog().log
      expect(yield* verified(cut, earlier)).toMatchObject({
        verdict: "wrong",
        problem: expect.stringContaining("THE LEDGER'S LOG WAS CUT OFF OR REPLACED"),
      })
    }),
  )
})

describe("a debit of an account that contradicts itself", () => {
  /** Debits account 7, which must stop the ledger before anything is written. Gives the reason. */
  const stoppedBy = Effect.fnUntraced(function* (log: EventLog, ledger: Ledger) {
    const end = yield* log.end("ledger")
    const refused = yield* Effect.flip(ledger.submit(debit(tokenOf(7), "of this one")))
    expect(refused).toMatchObject({ _tag: "billing_unavailable", reason: "stopped" })
    const stopped = yield* Effect.flip(ledger.stopped)
    expect(stopped._tag).toBe("LedgerContradiction")
    expect(yield* log.end("ledger")).toBe(end)
    return stopped.message
  })

  it.live("stops the writer by name before it writes, where the log itself is wrong", () =>
    listening((said) =>
      Effect.gen(function* () {
        const { log } = yield* sceneWith()
        const { state, tail } = yield* foldLedger(log, yield* log.end("ledger"))
        const settled = { account: "account 7", debit: "never made", charged: 1, returned: 5, noChargeReason: null }
        const wrong = makeEntry(event("debit.settled", settled), tail, state, "wrong/0", state.nowMs)
        const writer = yield* Effect.scoped(log.claim("ledger", ["ledger"]))
        yield* writer.commit([wrong.record])
        const message = yield* Effect.scoped(
          Effect.gen(function* () {
            const ledger = yield* openLedger({ log })
            // Others are served until then.
            yield* ledger.submit(debit(tokenOf(1), "of another"))
            return yield* stoppedBy(log, ledger)
          }),
        )
        expect(message).toContain("account 7: added 1007, spent 1, open 0, but balance 1012, shortfall 0")
        expect(said).toEqual([message])
      }),
    ),
  )

  it.live("stops the writer by name before it writes, and the next one goes on from what is true", () =>
    Effect.gen(function* () {
      const { log } = yield* sceneWith()
      const { store } = makeMemoryStore()
      // A cache whose memory fails while it is in use.
      let fails = false
      const failing: StateStore = {
        ...store,
        hold: (tables) =>
          Effect.map(store.hold(tables), (held) => ({
            ...held,
            get: (table, key) => {
              const value = held.get(table, key)
              if (!fails || table !== "accounts" || key !== "account 7") return value
              const account = value as Account
              return { ...account, balance: account.balance + 5_000 }
            },
          })),
      }
      const options = { log, state: failing, stateLimits: { heldMax: 1, writeEveryMs: -1 } }
      const message = yield* Effect.scoped(
        Effect.gen(function* () {
          const ledger = yield* openLedger(options)
          for (const n of [7, 1, 2, 3]) yield* ledger.submit(debit(tokenOf(n), `before ${n}`))
          fails = true
          return yield* stoppedBy(log, ledger)
        }),
      )
      expect(message).toContain("account 7: added 1007, spent 0, open 1, but balance 6006, shortfall 0")
      fails = false
      const next = yield* Effect.scoped(
        Effect.flatMap(openLedger(options), (ledger) => ledger.submit(debit(tokenOf(7), "after"))),
      )
      expect(next.answer).toMatchObject({ balance: 1_005 })
    }),
  )
})
