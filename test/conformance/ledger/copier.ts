import * as Effect from "effect/Effect"
import { copyLmdbState } from "../../../infra/state/lmdb-state.ts"

// Copies a cached state repeatedly, as a verification beside the service does: copier.ts PATH TIMES.

const [path = "", times = ""] = process.argv.slice(2)
const copy = Effect.scoped(copyLmdbState(path))
for (let n = 0; n < Number(times); n++) await Effect.runPromise(copy)
