import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import { makeHttpClient } from "../../infra/http/undici-client.ts"
import { openLmdbLog } from "../../infra/log/lmdb/event-log.ts"
import { startIngest } from "../../ingestors/poll/runner.ts"
import usgs from "../../ingestors/sources/usgs-earthquakes.ts"

/** Six lists that are due every five minutes at the most, by their own interval. */
const instances = usgs.instances.filter(
  ({ magnitude = "", period = "" }) =>
    ["week", "month"].includes(period) && ["significant", "4.5", "2.5"].includes(magnitude),
)

/**
 * An ingest role in a process of its own, to be killed:
 * `node ingest-process.ts <log directory> <world> <interval in ms> [<usual log bytes of a list and day> [<ms ahead>]]`.
 * `ms ahead`: how far the clock of the process is ahead of the machine's.
 */
const [path = "", upstreams = "", everyMsMax = "", logBytesPerDay = "", aheadMs = "0"] = process.argv.slice(2)
const fills = logBytesPerDay === "" ? usgs.fills : { ...usgs.fills, logBytesPerDay: Number(logBytesPerDay) }

const machine = Effect.runSync(Clock.Clock)
const nowMs = () => machine.currentTimeMillisUnsafe() + Number(aheadMs)
const nowNanos = () => machine.currentTimeNanosUnsafe() + BigInt(aheadMs) * 1_000_000n
const ahead: Clock.Clock = {
  ...machine,
  currentTimeMillisUnsafe: nowMs,
  currentTimeMillis: Effect.sync(nowMs),
  currentTimeNanosUnsafe: nowNanos,
  currentTimeNanos: Effect.sync(nowNanos),
  sleep: (duration) => machine.sleep(duration),
  monotonicTimeNanosUnsafe: () => machine.monotonicTimeNanosUnsafe(),
}

await Effect.runPromise(
  Effect.scoped(
    Effect.gen(function* () {
      const log = yield* openLmdbLog({ path })
      const http = yield* makeHttpClient({ upstreams, userAgent: "Tidewire/test" })
      const ingest = yield* startIngest({
        log,
        http,
        sources: [{ ...usgs, instances, fills }],
        keys: () => null,
        everyMsMax: Number(everyMsMax),
      })
      process.stdout.write("started\n")
      return yield* ingest.stopped
    }),
  ).pipe(Effect.provideService(Clock.Clock, ahead)),
)
