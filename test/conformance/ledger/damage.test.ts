import { spawnSync } from "node:child_process"
import { cp, mkdir, mkdtemp, readFile, rm, truncate, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import { describe } from "vitest"
import { openLmdbState } from "../../../infra/state/lmdb-state.ts"
import type { StateStore } from "../../../ledger/state-store.port.ts"
import { foldThroughCache } from "../../../ledger/write/fold-log.ts"
import { STATE_FORMAT, stateTables } from "../../../ledger/write/state-cache.ts"
import { openLedger } from "../../../ledger/write/writer.ts"
import type { EventLog, LogRecord } from "../../../schemas/ports/event-log.ts"
import { makeMemoryLog } from "../../support/memory-log.ts"
import { rounds } from "../log/harness.ts"
import { ACCOUNTS, balances, expectSame, FILE, listening, sceneWith, spend, tokenOf } from "./cached-scene.ts"
import { debit, hashOf } from "./given.ts"

// The cache of the state is never the truth: whatever becomes of its file, the answers are those of the log.

/** Folds the log into a cache, without holding the ledger. */
const refreshState = (log: EventLog, store: StateStore) =>
  Effect.gen(function* () {
    const folded = yield* foldThroughCache(log, { store }, yield* log.end("ledger"))
    if (folded !== null) yield* folded.keeper.flush(folded.mark)
  })

const FLIPS = rounds(8)
const seed = Number(process.env.SEED ?? Date.now() % 2 ** 31)

const recordsOf = (log: EventLog) =>
  Effect.map(Stream.runCollect(log.read("ledger", 0)), (batches) =>
    batches.flatMap(({ records }) => records.map(({ key, value }): LogRecord => ({ topic: "ledger", key, value }))),
  )

/** A log of these records. */
const logOf = (records: ReadonlyArray<LogRecord>) =>
  Effect.gen(function* () {
    const { log } = makeMemoryLog()
    const writer = yield* Effect.scoped(log.claim("ledger", ["ledger"]))
    yield* writer.commit(records)
    return log
  })

/** The log of a ledger of another one account, with so many grants. */
const anotherLog = (grants: number) =>
  Effect.gen(function* () {
    const { log } = makeMemoryLog()
    const ledger = yield* openLedger({ log })
    const account = "another"
    const token = { claimant: "grant/another", origin: account, generation: 1, kid: "k1", hash: hashOf(account) }
    const grant = { credits: 1, operator: "jane", reason: "a test", payment: null, token }
    for (let n = 0; n < grants; n++) yield* ledger.submit({ _tag: "grant", account, ...grant })
    return log
  }).pipe(Effect.scoped)

describe("a state that was kept", () => {
  it.live("is folded on from, and nothing is said of it", () =>
    listening((said) =>
      Effect.gen(function* () {
        const { path, log } = yield* sceneWith()
        expect(yield* expectSame(log, path)).toBe(2 * ACCOUNTS)
        expect(yield* spend(log, path, "first")).toEqual(balances(1))
        expect(yield* expectSame(log, path)).toBe(3 * ACCOUNTS)
        expect(said).toEqual([])
      }),
    ),
  )

  it.live("is kept up by a process that stands by", () =>
    Effect.gen(function* () {
      const { directory, path, log } = yield* sceneWith()
      const standby = join(directory, "standby")
      for (const round of ["first", "second"]) {
        yield* spend(log, path, round)
        yield* Effect.scoped(Effect.flatMap(openLmdbState({ path: standby }), (store) => refreshState(log, store)))
        expect(yield* expectSame(log, standby)).toBe(yield* expectSame(log, path))
      }
    }),
  )

  it.live.each<readonly [string, (file: string) => Promise<void>]>([
    ["is cut off in the middle", (file: string) => readFile(file).then(({ length }) => truncate(file, length / 2))],
    ["is cut off by a byte", (file: string) => readFile(file).then(({ length }) => truncate(file, length - 1))],
    ["is empty", (file: string) => truncate(file, 0)],
    ["is no store", (file: string) => writeFile(file, "x".repeat(20_000))],
  ])("and then %s is made again", ([, harm]) =>
    listening((said) =>
      Effect.gen(function* () {
        const { path, file, log } = yield* sceneWith()
        yield* Effect.promise(() => harm(file))
        expect(yield* spend(log, path, "after")).toEqual(balances(1))
        expect(yield* expectSame(log, path)).toBe(3 * ACCOUNTS)
        expect(said.join()).toContain("folded again from the log")
      }),
    ),
  )

  it.live("is made again where a byte of an account, a token or the head has changed, wherever it is read", () =>
    Effect.gen(function* () {
      const { directory, path, log } = yield* sceneWith()
      const spots = [
        '"balance":10',
        `"hash":"${tokenOf(7)}"`,
        `"sequence":${2 * ACCOUNTS},"hash"`,
        '"account 9","sequence"',
        `"account ${ACCOUNTS - 1}"`,
      ]
      for (const [index, spot] of spots.entries()) {
        const copy = join(directory, `copy ${index}`)
        yield* Effect.promise(() => cp(path, copy, { recursive: true }))
        const bytes = yield* Effect.promise(() => readFile(join(copy, FILE)))
        // In every place: older versions of a page lie in the file as well.
        let changed = 0
        for (let at = bytes.indexOf(spot); at >= 0; at = bytes.indexOf(spot, at + 1)) {
          const place = at + spot.length - 2
          bytes[place] = (bytes[place] ?? 0) ^ 1
          changed += 1
        }
        expect(changed).toBeGreaterThan(0)
        yield* Effect.promise(() => writeFile(join(copy, FILE), bytes))
        yield* listening((said) =>
          Effect.gen(function* () {
            expect(yield* spend(log, copy, `copy ${index}`)).toEqual(balances(index + 1))
            expect(said.join()).toContain("has changed")
          }),
        )
        yield* expectSame(log, copy)
      }
    }),
  )

  it(
    `gives the same answers whichever bit of its file is flipped (${FLIPS} flips, SEED=${seed})`,
    async () => {
      const directory = await mkdtemp(join(tmpdir(), "tidewire-flips-"))
      const answers = (state: string): ReadonlyArray<number> | undefined => {
        const script = fileURLToPath(new URL("flip-process.ts", import.meta.url))
        const { status, stdout } = spawnSync(
          process.execPath,
          ["--disable-warning=TimeoutNegativeWarning", script, join(directory, "log"), state, `${ACCOUNTS}`],
          { encoding: "utf8", timeout: 60_000, killSignal: "SIGKILL" },
        )
        // Reading a damaged tree may crash its process.
        return status === 0 ? JSON.parse(stdout) : undefined
      }
      try {
        const path = join(directory, "state")
        expect(answers(path)).toEqual(balances(0))
        const sound = await readFile(join(path, FILE))
        for (let flip = 0; flip < FLIPS; flip++) {
          const bytes = Uint8Array.from(sound)
          const at = Number(BigInt(`0x${hashOf(`${seed}/${flip}`).slice(0, 12)}`) % BigInt(bytes.length))
          bytes[at] = (bytes[at] ?? 0) ^ (1 << (flip % 8))
          const copy = join(directory, `flip ${flip}`)
          await mkdir(copy)
          await writeFile(join(copy, FILE), bytes)
          let held = answers(copy)
          for (let death = 0; held === undefined && death < 3; death++) held = answers(copy)
          expect({ at, held }).toEqual({ at, held: balances(0) })
        }
      } finally {
        await rm(directory, { recursive: true, force: true })
      }
    },
    FLIPS * 300_000,
  )

  it.live("stops the ledger, and is not thrown away, where its log was cut off or is another", () =>
    Effect.gen(function* () {
      const { path, log } = yield* sceneWith()
      const records = yield* recordsOf(log)
      const another = yield* anotherLog(3 * ACCOUNTS)
      const cut = yield* logOf(records.slice(0, -2))
      const longer = yield* logOf([...records.slice(0, -2), ...(yield* recordsOf(another)).slice(-4)])
      for (const [name, other, sentence] of [
        ["empty", makeMemoryLog().log, `ends with entry 0, and entry ${2 * ACCOUNTS} was folded from it`],
        ["cut off", cut, `ends with entry ${2 * ACCOUNTS - 2}, and entry ${2 * ACCOUNTS} was folded from it`],
        ["another one", another, `entry ${2 * ACCOUNTS} is not the one that was folded from it`],
        ["cut off and written on", longer, "THE LEDGER'S LOG WAS CUT OFF OR REPLACED"],
      ] as const)
        yield* listening((said) =>
          Effect.scoped(
            Effect.gen(function* () {
              const state = yield* openLmdbState({ path })
              const stopped = yield* Effect.flip(openLedger({ log: other, state }))
              expect([name, stopped._tag]).toEqual([name, "LogCut"])
              expect(stopped.message).toContain(sentence)
              expect(said.join()).not.toContain("made again")
              const standby = yield* Effect.flip(refreshState(other, state))
              expect([name, standby._tag]).toEqual([name, "LogCut"])
            }),
          ),
        )
      // With its own log again it is as good as before.
      expect(yield* expectSame(log, path)).toBe(2 * ACCOUNTS)
      // An operator who accepts the log as it stands moves the folder away.
      yield* Effect.promise(() => rm(path, { recursive: true }))
      yield* Effect.scoped(
        Effect.gen(function* () {
          const ledger = yield* openLedger({ log: cut, state: yield* openLmdbState({ path }) })
          yield* ledger.submit(debit(tokenOf(0), "accepted"))
        }),
      )
      expect(yield* expectSame(cut, path)).toBe(2 * ACCOUNTS - 1)
    }),
  )

  it.live("is made again where its log was moved, and holds the same entries at other offsets", () =>
    listening((said) =>
      Effect.gen(function* () {
        const { path, log } = yield* sceneWith()
        yield* Effect.scoped(
          Effect.gen(function* () {
            const held = yield* (yield* openLmdbState({ path })).hold(stateTables)
            const head = held.head as { readonly offset: number }
            yield* held.write([], { ...head, offset: head.offset + 100 })
          }),
        )
        expect(yield* spend(log, path, "after")).toEqual(balances(1))
        expect(said.join()).toContain("its log was moved; it is folded again from the log")
      }),
    ),
  )

  it.live("is made again where another format wrote it", () =>
    listening((said) =>
      Effect.gen(function* () {
        const { path, log } = yield* sceneWith()
        yield* Effect.scoped(
          Effect.gen(function* () {
            const held = yield* (yield* openLmdbState({ path })).hold(stateTables)
            yield* held.write([], { ...(held.head as object), format: STATE_FORMAT - 1 })
          }),
        )
        expect(yield* spend(log, path, "after")).toEqual(balances(1))
        expect(said.join()).toContain("its format is another")
        yield* expectSame(log, path)
      }),
    ),
  )

  it.live("is made again where three processes in a row died with it, and only then", () =>
    listening((said) =>
      Effect.gen(function* () {
        const { path, log } = yield* sceneWith()
        const tries = join(path, "tries")
        for (const [deaths, again] of [
          ["2", false],
          ["3", true],
        ] as const) {
          yield* Effect.promise(() => writeFile(tries, deaths))
          expect(yield* spend(log, path, `${deaths} deaths`)).toEqual(balances(Number(deaths) - 1))
          expect(said.join().includes("processes died with it")).toBe(again)
        }
        yield* expectSame(log, path)
      }),
    ),
  )

  it.live("is written by its last holder alone", () =>
    Effect.gen(function* () {
      const { path } = yield* sceneWith()
      const store = yield* openLmdbState({ path })
      const first = yield* store.hold(stateTables)
      const second = yield* store.hold(stateTables)
      const row = { table: "tokens", key: "a", value: "b" }
      expect(yield* Effect.flip(first.write([row], null))).toMatchObject({ _tag: "StateDamaged" })
      expect(second.get("tokens", "a")).toBeUndefined()
      yield* second.write([row], null)
      expect(second.get("tokens", "a")).toBe("b")
    }),
  )
})
