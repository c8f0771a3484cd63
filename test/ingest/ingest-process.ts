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
 * `node ingest-process.ts <log directory> <world> <interval in ms> [<usual log bytes of a list and day>]`.
 */
const [path = "", upstreams = "", everyMsMax = "", logBytesPerDay = ""] = process.argv.slice(2)
const fills = logBytesPerDay === "" ? usgs.fills : { ...usgs.fills, logBytesPerDay: Number(logBytesPerDay) }

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
  ),
)
