import { execFile } from "node:child_process"
import { mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { promisify } from "node:util"
import * as Effect from "effect/Effect"
import { openLmdbLog } from "../../../infra/log/lmdb/event-log.ts"
import { openLmdbState } from "../../../infra/state/lmdb-state.ts"
import { openLedger } from "../../../ledger/write/writer.ts"
import { benchmark, interleaved } from "../benchmark.ts"
import { hashOf, writeLedger } from "../ledger/scenes.ts"

const EVENTS = 1_000_000
const ACCOUNTS = 10_000
const ROUNDS = 3
const HEAP_ACCOUNTS = 1_000_000

const WITHOUT = "ready, state in memory"
const HEAP_WITHOUT = "heap of a million accounts, state in memory"

const heapMb = async (...parameters: ReadonlyArray<string>): Promise<number> => {
  const script = fileURLToPath(new URL("../ledger/heap.ts", import.meta.url))
  const options = ["--expose-gc", "--max-old-space-size=4096", script, `${HEAP_ACCOUNTS}`, ...parameters]
  const { stdout } = await promisify(execFile)(process.execPath, options)
  return Number(stdout)
}

/** Seconds from the opening of state and ledger, on an open log, to the reply of a debit. */
const secondsUntilReady = (path: string, statePath: string | undefined): Promise<number> =>
  Effect.runPromise(
    Effect.scoped(
      Effect.gen(function* () {
        const log = yield* openLmdbLog({ path })
        const begun = performance.now()
        const state = statePath === undefined ? undefined : yield* openLmdbState({ path: statePath })
        const ledger = yield* openLedger({ log, state })
        const call = { credits: 1, purpose: "/api/pro/briefing", mayEndFree: false, idempotency: null }
        yield* ledger.submit({ _tag: "debit", token: hashOf(1), debit: `start-${performance.now()}`, ...call })
        return (performance.now() - begun) / 1000
      }),
    ),
  )

/** The share of the ledger in the start of its process, and the memory of its state. */
export const ledgerStart = benchmark({
  name: "ledger-start",
  title: `start of the ledger with ${EVENTS.toLocaleString("en-US")} events over ${ACCOUNTS.toLocaleString("en-US")} accounts, embedded log`,
  budget: [{ label: "ready, state kept", of: "value", atMost: 0.5 }],
  run: async () => {
    const directory = await mkdtemp(join(tmpdir(), "tidewire-bench-"))
    const [path, statePath] = [join(directory, "log"), join(directory, "state")]
    try {
      await Effect.runPromise(
        Effect.scoped(Effect.flatMap(openLmdbLog({ path }), (log) => writeLedger(log, EVENTS, ACCOUNTS))),
      )
      const made = async (): Promise<number> => {
        await rm(statePath, { recursive: true, force: true })
        return secondsUntilReady(path, statePath)
      }
      await made()
      const figures = await interleaved(ROUNDS, {
        [WITHOUT]: () => secondsUntilReady(path, undefined),
        "ready, state kept": () => secondsUntilReady(path, statePath),
        "ready, state to be made again": made,
      })
      const [heapKept, heapWithout] = [await heapMb(join(directory, "heap")), await heapMb()]
      return [
        ...Object.entries(figures).map(([label, value]) => ({ label, value, unit: "s", ratioTo: WITHOUT })),
        { label: HEAP_WITHOUT, value: heapWithout, unit: "MB" },
        { label: "heap of a million accounts, state kept", value: heapKept, unit: "MB", ratioTo: HEAP_WITHOUT },
      ]
    } finally {
      await rm(directory, { recursive: true, force: true })
    }
  },
})
