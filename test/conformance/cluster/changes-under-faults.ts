import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Schedule from "effect/Schedule"
import * as Scope from "effect/Scope"
import { lastLoggedChange } from "../../../processors/run/last-change.ts"
import type { EventLog } from "../../../schemas/ports/event-log.ts"
import { startChangesApi, startDueReaders } from "../../changes/due-readers.ts"
import { numberedChange } from "../../changes/numbered-changes.ts"
import { seededChance } from "../../changes/simulation/chance.ts"
import { freePort } from "../../support/service.ts"
import { open } from "../log/kafka-quiet.ts"
import type { ClusterUnderTest } from "./cluster-under-test.ts"
import type { ClusterFault } from "./faults.ts"

const COMMIT_CHANGES = 20
const COMMIT_PAUSE = "10 millis"
const CLAIM_PAUSE = Schedule.spaced("500 millis")
/** Changes that every reader gets before, during and after each fault. */
const READ_BETWEEN = 200

/** Writes numbered changes until it is interrupted; after a failure it goes on behind the last one that the log holds. */
const writeChanges = (log: EventLog) =>
  Effect.gen(function* () {
    const scope = yield* Scope.make()
    yield* Effect.gen(function* () {
      const held = yield* log.claim("writer", ["deltas"]).pipe(Scope.provide(scope))
      for (let at = (yield* lastLoggedChange(log))?.ordinal ?? 0; ; at += COMMIT_CHANGES) {
        yield* held.commit(Array.from({ length: COMMIT_CHANGES }, (_, index) => numberedChange(at + index + 1)))
        yield* Effect.sleep(COMMIT_PAUSE)
      }
    }).pipe(Effect.ensuring(Scope.close(scope, Exit.void)))
  }).pipe(Effect.retry(CLAIM_PAUSE))

/** Reads changes through every door while faults are applied, and compares each with the one that is due; gives their number. */
export const changesUnderFaults = (
  under: ClusterUnderTest,
  run: { readonly faults: ReadonlyArray<ClusterFault>; readonly pauseMs: number },
) =>
  Effect.gen(function* () {
    const cluster = under.cluster()
    const options = yield* Effect.promise(() => under.makeLog())
    const port = yield* Effect.promise(freePort)
    yield* startChangesApi(
      { module: "test/conformance/log/kafka-quiet.ts", open: "open", options: { ...options } },
      port,
    )
    const readers = startDueReaders(`http://127.0.0.1:${port}`, seededChance(1))
    const log = yield* open(options)
    const progress = () => readers.reach(readers.at() + READ_BETWEEN)
    const faults = Effect.promise(async () => {
      for (const fault of run.faults) {
        await progress()
        await fault.apply({ cluster, prefix: options.topicPrefix, progress, pauseMs: run.pauseMs })
        await cluster.heal()
      }
      await progress()
    })
    yield* Effect.raceFirst(writeChanges(log), faults)
    // A commit that was interrupted may stand.
    const end = yield* lastLoggedChange(log)
    yield* Effect.promise(() => readers.end(end?.ordinal ?? 0))
    return end?.ordinal ?? 0
  })
