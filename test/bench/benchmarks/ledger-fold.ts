import { mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import { openLmdbLog } from "../../../infra/log/lmdb/event-log.ts"
import { verifyLedger } from "../../../ledger/verify/verify.ts"
import { foldLedger } from "../../../ledger/write/fold-log.ts"
import { benchmark, interleaved } from "../benchmark.ts"
import { writeLedger } from "../ledger/scenes.ts"

const EVENTS = 1_000_000
const ACCOUNTS = 10_000
const ROUNDS = 3

const seconds = async (work: Effect.Effect<number, unknown>): Promise<number> => {
  const begun = performance.now()
  const events = await Effect.runPromise(work)
  if (events !== EVENTS) throw new Error(`${events} of ${EVENTS} events were read`)
  return (performance.now() - begun) / 1000
}

/** A start of the ledger without its state: read, parse, upcast and fold every entry. */
export const ledgerFold = benchmark({
  name: "ledger-fold",
  title: `fold of ${EVENTS.toLocaleString("en-US")} ledger events over ${ACCOUNTS.toLocaleString("en-US")} accounts, embedded log`,
  budget: [{ label: "fold", of: "value", atMost: 5 }],
  profile:
    "By the figures above, reading takes a quarter of a fold, parsing a third, and the rules the rest. V8's middle compilers would make it a tenth faster; they are off, as they cost 40 MB in a process that folds everything only where its cache is lost.",
  run: async () => {
    const path = await mkdtemp(join(tmpdir(), "tidewire-bench-"))
    try {
      return await Effect.runPromise(
        Effect.scoped(
          Effect.gen(function* () {
            const log = yield* openLmdbLog({ path })
            const bytes = yield* writeLedger(log, EVENTS, ACCOUNTS)
            const read = log.read("ledger", 0).pipe(
              Stream.runFold(
                () => 0,
                (count, { records }) => count + records.length,
              ),
            )
            const parse = log.read("ledger", 0).pipe(
              Stream.runFold(
                () => 0,
                (count, { records }) => {
                  const decoder = new TextDecoder()
                  for (const { value } of records) JSON.parse(decoder.decode(value ?? new Uint8Array()))
                  return count + records.length
                },
              ),
            )
            const fold = Effect.map(foldLedger(log, Number.MAX_SAFE_INTEGER), ({ tail }) => tail.sequence)
            const verify = Effect.map(verifyLedger(log), ({ entries, offence }) => (offence === null ? entries : 0))
            const figures = yield* Effect.promise(() =>
              interleaved(ROUNDS, {
                read: () => seconds(read),
                parse: () => seconds(parse),
                fold: () => seconds(fold),
                verify: () => seconds(verify),
              }),
            )
            return [
              { label: "bytes of an entry", value: bytes / EVENTS, unit: "bytes" },
              { label: "read", value: figures.read, unit: "s" },
              { label: "read and parse", value: figures.parse, unit: "s" },
              { label: "fold", value: figures.fold, unit: "s", ratioTo: "read and parse" },
              { label: "verify", value: figures.verify, unit: "s", ratioTo: "fold" },
            ]
          }),
        ),
      )
    } finally {
      await rm(path, { recursive: true, force: true })
    }
  },
})
