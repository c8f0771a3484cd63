import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import { expect, it } from "vitest"
import { makeStatus } from "../../infra/parts/part.ts"
import { foldingLog } from "../../infra/parts/part-log.ts"
import { makeMemoryLog } from "../support/memory-log.ts"

it("a part that starts reports how far it has folded, and no more once it is ready", async () => {
  const status = makeStatus()
  const part = status.part("ledger", "writer")
  const { log } = makeMemoryLog()
  await Effect.runPromise(
    Effect.scoped(
      Effect.gen(function* () {
        const writer = yield* log.claim("test", ["ledger"])
        for (let n = 0; n < 4; n += 1) yield* writer.commit([{ topic: "ledger", key: "a", value: new Uint8Array([n]) }])
        const folding = foldingLog(log, part, "ledger", 0)
        const readAll = Stream.runDrain(folding.log.read("ledger", 0))
        yield* readAll
        expect(status.reports()).toMatchObject([
          {
            state: "starting",
            reason: expect.stringMatching(/^the log is being folded, ledger: 100 % \(4 of 4 entries\)/),
          },
        ])
        yield* folding.readyThen(Effect.sync(() => part.set({ state: "active" })))
        yield* readAll
        expect(status.reports()).toMatchObject([{ state: "active", reason: null }])
      }),
    ),
  )
})
