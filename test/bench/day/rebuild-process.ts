import * as Effect from "effect/Effect"
import * as References from "effect/References"
import { openLmdbLog } from "../../../infra/log/lmdb/event-log.ts"
import { rebuildViews } from "../../../processors/run/rebuild.ts"
import { cpuMsOf } from "../cpu-time.ts"
import { dayProcessors } from "./fold-day.ts"

// A process of its own, as the rebuild is a command: it has V8's own settings, and not the small heap of the service.
// Prints the processor time that rebuilding everything in the log at the given path takes, in milliseconds.

const [path = ""] = process.argv.slice(2)
const rebuild = Effect.flatMap(openLmdbLog({ path }), (log) =>
  cpuMsOf(rebuildViews(log, { processors: dayProcessors })),
)
const rebuildMs = await Effect.runPromise(
  Effect.scoped(rebuild).pipe(Effect.provideService(References.MinimumLogLevel, "None")),
)
process.stdout.write(`${rebuildMs}\n`)
