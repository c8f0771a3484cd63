import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Scope from "effect/Scope"
import { expect, it, onTestFinished } from "vitest"
import { openLmdbState } from "../../../infra/state/lmdb-state.ts"
import { openLedger } from "../../../ledger/write/writer.ts"
import { describeUnless } from "../../support/describe-unless.ts"
import { eventually } from "../../support/eventually.ts"
import { makeMemoryLog } from "../../support/memory-log.ts"
import { mountSmallDisk, smallDiskMissing } from "../../support/small-disk.ts"
import { hashOf } from "./given.ts"

const DISK_MEGABYTES = 24
const GRANTS = 300

describeUnless(smallDiskMissing(), "a ledger whose state cache is on a full disk, and its log elsewhere", () => {
  it("goes on, starts as well, keeps its cache, and writes it when there is room", async () => {
    const disk = mountSmallDisk(DISK_MEGABYTES)
    onTestFinished(() => disk.close())
    const { log, records } = makeMemoryLog()
    const open = async () => {
      const scope = await Effect.runPromise(Scope.make())
      const run = <A, E>(effect: Effect.Effect<A, E, Scope.Scope>) => Effect.runPromise(Scope.provide(effect, scope))
      const state = await run(openLmdbState({ path: `${disk.path}/state` }))
      const { submit } = await run(openLedger({ log, state, stateLimits: { writeEveryMs: 1 } }))
      const grant = async (name: string) => {
        const answer = await run(
          submit({
            _tag: "grant",
            account: name,
            credits: 1,
            operator: "jane",
            reason: "for a test",
            payment: null,
            token: {
              claimant: `grant/${name}`,
              origin: name,
              generation: 1,
              kid: "k1",
              hash: hashOf(`token of ${name}`),
            },
          }),
        )
        expect(answer.entries.length).toBeGreaterThan(0)
      }
      return { grant, close: () => Effect.runPromise(Scope.close(scope, Exit.void)) }
    }
    /** What the cache holds, as one who opens it finds it: up to which entry. */
    const keptUpTo = () =>
      Effect.runPromise(
        Effect.scoped(
          Effect.gen(function* () {
            const state = yield* openLmdbState({ path: `${disk.path}/state` })
            const { stateTables } = yield* Effect.promise(() => import("../../../ledger/write/state-cache.ts"))
            return (yield* state.hold(stateTables)).head as { readonly sequence: number }
          }),
        ),
      )

    const first = await open()
    await first.grant("before")
    await first.close()
    const kept = (await keptUpTo()).sequence

    const second = await open()
    disk.fill()
    for (let n = 0; n < GRANTS; n++) await second.grant(`while full ${n}`)
    await second.close()
    const third = await open()
    await third.grant("started while full")
    await third.close()
    disk.empty()
    // Nothing was thrown away: it stands where it stood.
    expect((await keptUpTo()).sequence).toBeGreaterThanOrEqual(kept)

    const fourth = await open()
    await fourth.grant("there is room")
    await fourth.close()
    await eventually("the cache is whole", async () => (await keptUpTo()).sequence === records("ledger").length)
  })
})
