import * as Effect from "effect/Effect"
import { openLmdbLog } from "../../../infra/log/lmdb/event-log.ts"

// Opens and closes a log repeatedly: opener.ts PATH TIMES.

const [path = "", times = ""] = process.argv.slice(2)
const look = Effect.scoped(Effect.andThen(openLmdbLog({ path }), (log) => log.end("observations")))
for (let n = 0; n < Number(times); n++) await Effect.runPromise(look)
