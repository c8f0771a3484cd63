import { spawn } from "node:child_process"
import { statSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { describe } from "vitest"
import { copyLmdbState, openLmdbState } from "../../../infra/state/lmdb-state.ts"
import { scopedDirectory } from "../../support/scoped-directory.ts"
import { straceMissing } from "../log/lmdb-under-test.ts"
import { FILE } from "./cached-scene.ts"

const TABLES = [{ name: "numbers", inOrder: false }]
const COPIES = 10

/** A process that copies the state at a path, again and again; gives its exit code, null while it runs. */
const copying = (path: string): (() => number | null) => {
  // Extends the moment between the library's read and write of the last transaction's number to a hundred transactions.
  const slowly = [
    "-f",
    "-o",
    "/dev/null",
    "-P",
    join(path, FILE),
    "-e",
    "trace=mmap",
    "-e",
    "inject=mmap:delay_exit=20000",
  ]
  const script = fileURLToPath(new URL("copier.ts", import.meta.url))
  const child = spawn("strace", [...slowly, process.execPath, script, path, `${COPIES}`], {
    stdio: ["ignore", "ignore", "inherit"],
  })
  let code: number | null = null
  child.once("exit", (status) => {
    code = status ?? 1
  })
  return () => code
}

describe("a cached state that another process copies meanwhile", () => {
  it.live.skipIf(straceMissing !== "")(`loses no write${straceMissing}`, () =>
    Effect.gen(function* () {
      const path = join(yield* scopedDirectory, "state")
      const written = yield* Effect.scoped(
        Effect.gen(function* () {
          const held = yield* (yield* openLmdbState({ path })).hold(TABLES)
          const code = copying(path)
          let count = 0
          for (; code() === null; count++)
            yield* held.write([{ table: "numbers", key: count, value: count }], { count })
          expect(code()).toBe(0)
          return count
        }),
      )
      const again = yield* (yield* openLmdbState({ path })).hold(TABLES)
      expect(again.head).toEqual({ count: written - 1 })
      const numbers = Array.from(again.rows("numbers"), ([key]) => Number(key))
      expect(numbers.toSorted((a, b) => a - b)).toEqual(Array.from({ length: written }, (_, n) => n))
    }),
  )

  it.live("keeps the lock of those who open it when it is discarded, and is then no state to copy", () =>
    Effect.gen(function* () {
      const path = join(yield* scopedDirectory, "state")
      expect(yield* copyLmdbState(path)).toBeNull()
      const store = yield* openLmdbState({ path })
      yield* Effect.andThen(store.hold(TABLES), (held) => held.write([], "head"))
      expect(yield* copyLmdbState(path)).not.toBeNull()
      const locked = () => [path, join(path, "opening")].map((file) => statSync(file).ino)
      const before = locked()
      yield* store.discard
      expect(locked()).toEqual(before)
      expect(yield* copyLmdbState(path)).toBeNull()
      expect((yield* store.hold(TABLES)).head).toBeNull()
    }),
  )
})
