import * as Effect from "effect/Effect"
import { removeDirectory, temporaryDirectory } from "./service.ts"

/** A new empty folder, which is removed with the scope. */
export const scopedDirectory = Effect.acquireRelease(Effect.sync(temporaryDirectory), (path) =>
  Effect.sync(() => removeDirectory(path)),
)
