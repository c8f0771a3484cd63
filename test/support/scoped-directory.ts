import { Effect } from "effect"
import { removeDirectory, temporaryDirectory } from "./service.ts"

/** An empty folder of its own, which is removed with the scope. */
export const scopedDirectory = Effect.acquireRelease(Effect.sync(temporaryDirectory), (path) =>
  Effect.sync(() => removeDirectory(path)),
)
