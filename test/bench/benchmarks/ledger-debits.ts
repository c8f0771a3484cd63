import { mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { Effect } from "effect"
import { openLmdbLog } from "../../../infra/log/lmdb.ts"
import { type Ledger, openLedger } from "../../../ledger/writer.ts"
import { benchmark, interleaved, type Measure, ratePerSecond } from "../benchmark.ts"
import { postgresIsInstalled, startPostgres } from "../postgres.ts"

const ROUND_MS = 2_000
const ROUNDS = 3
const CALLERS = [1, 64, 512] as const
const TOKENS = 10_000
/** The pace at which the time of a single debit is taken, a second. */
const PACE = 1_000

const CROWD = 64
const POSTGRES_HOT = `PostgreSQL, one hot row, ${CROWD} clients`
const POSTGRES_MANY = `PostgreSQL, ${TOKENS.toLocaleString("en-US")} rows, ${CROWD} clients`
/** The same promise in tables: the balance is checked and taken, and the debit noted, in one transaction. */
const SCHEMA = `
  CREATE TABLE account (id integer PRIMARY KEY, balance bigint NOT NULL CHECK (balance >= 0));
  CREATE TABLE debit (id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, account integer NOT NULL, credits integer NOT NULL,
    purpose text NOT NULL, at timestamptz NOT NULL DEFAULT now());
  INSERT INTO account SELECT n, 100000000 FROM generate_series(1, ${TOKENS}) AS n;`
const transactionOf = (account: string): string => `\\set account ${account}
BEGIN;
UPDATE account SET balance = balance - 1 WHERE id = :account AND balance >= 1;
INSERT INTO debit (account, credits, purpose) VALUES (:account, 1, '/api/pro/briefing');
COMMIT;
`

const hashOf = (n: number): string => n.toString(16).padStart(64, "0")

const fund = (ledger: Ledger, n: number) => {
  const account = `account-${n}`
  const wanted = { claimant: `grant/${account}`, origin: account, generation: 1 }
  return ledger.submit({
    _tag: "grant",
    account,
    credits: 100_000_000,
    operator: "bench",
    reason: "bench",
    payment: null,
    token: { ...wanted, kid: "k1", hash: hashOf(n) },
  })
}

const percentile = (sorted: ReadonlyArray<number>, share: number): number =>
  sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] ?? Number.NaN

/** Times of debits that come at a pace, whatever became of those before, in milliseconds, sorted. */
const timesAtPace = async (debit: () => Promise<unknown>): Promise<ReadonlyArray<number>> => {
  const times: Array<number> = []
  const begun = performance.now()
  const pending: Array<Promise<void>> = []
  while (performance.now() - begun < ROUND_MS * ROUNDS) {
    const due = Math.floor(((performance.now() - begun) * PACE) / 1000)
    while (pending.length < due) {
      // From the moment at which it was due: a late start is waiting too.
      const dueMs = begun + (pending.length * 1000) / PACE
      pending.push(debit().then(() => void times.push(performance.now() - dueMs)))
    }
    await new Promise((resolve) => setTimeout(resolve, 1))
  }
  await Promise.all(pending)
  return times.sort((a, b) => a - b)
}

/** Durable debits a second: decided, chained, on disk, answered. */
export const ledgerDebits = benchmark({
  name: "ledger-debits",
  title: "durable debits, embedded log",
  budget: [
    { label: "one hot token, 64 callers", of: "value", atLeast: 10_000 },
    ...(postgresIsInstalled() ? [{ label: "one hot token, 64 callers", of: "ratio" as const, atLeast: 3 }] : []),
    { label: `p99 at ${PACE} a second`, of: "value", atMost: 10 },
  ],
  run: async () => {
    const directory = await mkdtemp(join(tmpdir(), "tidewire-bench-"))
    const measure = Effect.gen(function* () {
      const log = yield* openLmdbLog({ path: join(directory, "log") })
      const ledger = yield* openLedger({ log })
      yield* Effect.forEach(
        Array.from({ length: TOKENS }, (_, n) => n),
        (n) => fund(ledger, n),
        {
          concurrency: 512,
          discard: true,
        },
      )
      let next = 0
      const debit = (tokens: number) => () => {
        const n = next++
        const call = { credits: 1, purpose: "/api/pro/briefing", idempotency: null }
        return Effect.runPromise(
          ledger.submit({ _tag: "debit", token: hashOf(n % tokens), debit: `debit-${n}`, ...call }),
        )
      }
      // Before the others fill the ledger with debits that nobody settles, and with nothing else at work.
      const times = yield* Effect.promise(() => timesAtPace(debit(1)))
      const postgres = yield* Effect.acquireRelease(
        Effect.promise(() => startPostgres(SCHEMA)),
        (server) => Effect.promise(async () => server?.stop()),
      )
      if (postgres === undefined) process.stderr.write("PostgreSQL is not installed: it is not compared with\n")
      const contenders = Object.fromEntries(
        CALLERS.flatMap((callers) => {
          const who = callers === 1 ? "1 caller" : `${callers} callers`
          return [
            [`one hot token, ${who}`, () => ratePerSecond(callers, ROUND_MS, debit(1))],
            [`${TOKENS.toLocaleString("en-US")} tokens, ${who}`, () => ratePerSecond(callers, ROUND_MS, debit(TOKENS))],
          ]
        }),
      )
      const clients = (account: string) =>
        postgres && (() => postgres.transactionsPerSecond(transactionOf(account), CROWD, ROUND_MS / 1000))
      const rates: Readonly<Record<string, number>> = yield* Effect.promise(() =>
        interleaved(ROUNDS, {
          ...contenders,
          [POSTGRES_HOT]: clients("1"),
          [POSTGRES_MANY]: clients(`random(1, ${TOKENS})`),
        }),
      )
      return { rates, times }
    })
    try {
      const { rates, times } = await Effect.runPromise(Effect.scoped(measure))
      return [
        ...Object.entries(rates).map(
          ([label, value]): Measure => ({
            label,
            value,
            unit: "debits/s",
            ...(label.endsWith("callers") && { ratioTo: label.startsWith("one") ? POSTGRES_HOT : POSTGRES_MANY }),
          }),
        ),
        { label: `p50 at ${PACE} a second`, value: percentile(times, 0.5), unit: "ms" },
        { label: `p99 at ${PACE} a second`, value: percentile(times, 0.99), unit: "ms" },
      ]
    } finally {
      await rm(directory, { recursive: true, force: true })
    }
  },
})
