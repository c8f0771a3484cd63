import { mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import * as Effect from "effect/Effect"
import { openLmdbLog } from "../../../infra/log/lmdb/event-log.ts"
import { openLmdbState } from "../../../infra/state/lmdb-state.ts"
import { benchmark, openLoop, openLoopMeasures } from "../benchmark.ts"
import { openDebits } from "../ledger/debits.ts"

const PACE = 10_000
const DURATION_MS = 60_000
const WARM_UP_MS = 3_000
const HOT = `one hot token, ${PACE.toLocaleString("en-US")} a second for a minute`

/**
 * Debits that come when they are due, whether or not those before them are durable. Generator and ledger share one thread. A
 * debit that is refused, as the queue is full or it waited too long, is dropped.
 */
export const ledgerOpenLoop = benchmark({
  name: "ledger-open-loop",
  title: "durable debits at a fixed rate, embedded log",
  budget: [
    { label: `dropped: ${HOT}`, of: "value", atMost: 0 },
    { label: `p99: ${HOT}`, of: "value", atMost: 50 },
  ],
  run: async () => {
    const directory = await mkdtemp(join(tmpdir(), "tidewire-bench-"))
    const measure = Effect.gen(function* () {
      const log = yield* openLmdbLog({ path: join(directory, "log") })
      const debits = yield* openDebits(log, yield* openLmdbState({ path: join(directory, "state") }))
      return yield* Effect.promise(async () => {
        await openLoop(PACE, WARM_UP_MS, debits.debit(1))
        const { user, system } = process.cpuUsage()
        const found = await openLoop(PACE, DURATION_MS, debits.debit(1))
        const spent = process.cpuUsage({ user, system })
        return { found, cpuMicros: spent.user + spent.system }
      })
    })
    try {
      const { found, cpuMicros } = await Effect.runPromise(Effect.scoped(measure))
      return [
        ...openLoopMeasures(HOT, found),
        {
          label: `processor time, generator included: ${HOT}`,
          value: cpuMicros / found.times.length,
          unit: "us/debit",
        },
      ]
    } finally {
      await rm(directory, { recursive: true, force: true })
    }
  },
})
