import { mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import * as Effect from "effect/Effect"
import { openLmdbLog } from "../../../infra/log/lmdb/event-log.ts"
import { openLmdbState } from "../../../infra/state/lmdb-state.ts"
import { openBareLmdb } from "../bare-lmdb.ts"
import { benchmark, interleaved, type Measure, percentile, timesAtPace } from "../benchmark.ts"
import { hotLabel, openDebits, PACE, TOKENS } from "../ledger/debits.ts"
import { postgresIsInstalled, startPostgres } from "../postgres.ts"

const ROUND_MS = 2_000
const ROUNDS = 3

const CROWD = 64
const POSTGRES_HOT = `PostgreSQL, one hot row, ${CROWD} clients`
const POSTGRES_MANY = `PostgreSQL, ${TOKENS.toLocaleString("en-US")} rows, ${CROWD} clients`
const IN_MEMORY = `${hotLabel(CROWD)}, state in memory alone`
const P99 = `p99 at ${PACE} a second`
/** Baselines at the same rate: a bare write of an entry's bytes, and no work at all. */
const P99_BARE = `p99 at ${PACE} a second, bare put and flush`
const P99_NOTHING = `p99 at ${PACE} a second, nothing done`
const ENTRY_BYTES = 600
/** The same guarantee in SQL: check and update of the balance, and the debit's row, in one transaction. */
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

/** Durable debits a second: decided, chained, on disk, answered. The state is stored on disk too, as in the service. */
export const ledgerDebits = benchmark({
  name: "ledger-debits",
  title: "durable debits, embedded log",
  budget: [
    { label: hotLabel(CROWD), of: "value", atLeast: 10_000 },
    ...(postgresIsInstalled() ? [{ label: hotLabel(CROWD), of: "ratio" as const, atLeast: 3 }] : []),
    { label: P99, of: "value", atMost: 10 },
  ],
  run: async () => {
    const directory = await mkdtemp(join(tmpdir(), "tidewire-bench-"))
    const measure = Effect.gen(function* () {
      const log = yield* openLmdbLog({ path: join(directory, "log") })
      const debits = yield* openDebits(log, yield* openLmdbState({ path: join(directory, "state") }))
      const bare = yield* Effect.acquireRelease(
        Effect.sync(() => openBareLmdb(join(directory, "bare"), ENTRY_BYTES)),
        ({ close }) => Effect.promise(close),
      )
      const times: Record<"debits" | "bare" | "nothing", Array<number>> = { debits: [], bare: [], nothing: [] }
      yield* Effect.promise(async () => {
        for (let round = 0; round < ROUNDS; round++) {
          times.debits.push(...(await debits.timesAtPace(ROUND_MS)))
          times.bare.push(...(await timesAtPace(PACE, ROUND_MS, bare.put)))
          times.nothing.push(...(await timesAtPace(PACE, ROUND_MS, async () => {})))
        }
      })
      const inMemory = yield* openDebits(yield* openLmdbLog({ path: join(directory, "other") }), undefined)
      const postgres = yield* Effect.acquireRelease(
        Effect.promise(() => startPostgres(SCHEMA)),
        (server) => Effect.promise(async () => server?.stop()),
      )
      if (postgres === undefined) process.stderr.write("PostgreSQL is not installed: it is not compared with\n")
      const clients = (account: string) =>
        postgres && (() => postgres.transactionsPerSecond(transactionOf(account), CROWD, ROUND_MS / 1000))
      const rates: Readonly<Record<string, number>> = yield* Effect.promise(() =>
        interleaved(ROUNDS, {
          ...debits.contenders(ROUND_MS),
          [IN_MEMORY]: () => inMemory.rate(CROWD, ROUND_MS, 1),
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
        { label: `p50 at ${PACE} a second`, value: percentile(times.debits, 0.5), unit: "ms" },
        { label: P99, value: percentile(times.debits, 0.99), unit: "ms", ratioTo: P99_BARE },
        { label: P99_BARE, value: percentile(times.bare, 0.99), unit: "ms" },
        { label: P99_NOTHING, value: percentile(times.nothing, 0.99), unit: "ms" },
      ]
    } finally {
      await rm(directory, { recursive: true, force: true })
    }
  },
})
