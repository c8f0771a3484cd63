import * as Effect from "effect/Effect"
import * as Logger from "effect/Logger"
import * as Stream from "effect/Stream"
import { Registry } from "prom-client"
import { changingFeeds, makeReady } from "../../../api/changes/filter.ts"
import { followChanges } from "../../../api/changes/follower.ts"
import { ChangeWindow } from "../../../api/changes/window.ts"
import { openLmdbLog } from "../../../infra/log/lmdb/event-log.ts"
import { WINDOW_BOUNDS } from "../../../infra/roles/api.ts"
import { boundBufferPools, returnFreedMemory } from "../../../infra/system/memory.ts"
import { makeChangeLog } from "../../../processors/changes/change-log.ts"
import type { ChangeLog } from "../../../schemas/ports/changes.ts"
import { endpoints } from "../../../schemas/registry.ts"
import { everythingShown } from "../../changes/numbered-changes.ts"
import { openFreeApi } from "../api-free/free-api.ts"
import { sampleOf } from "../metric-sample.ts"
import { sharedNowMs } from "../process-time.ts"

// The API alone, over an embedded log that another process writes: `node --expose-gc serve.ts PATH-OF-LOG`. Sends its address to its
// parent, and then answers each message, a `ServerQuestion`, with a `ServerReport`.

/** `received`: what was received since the last time. `held`: what it holds after garbage is collected. */
export type ServerQuestion = "received" | "held"

export interface ServerReport {
  /** When the follower received the changes, by their numbers, on the clock of `sharedNowMs`. */
  readonly receivedMs: ReadonlyArray<readonly [ordinal: number, atMs: number]>
  /** Bytes of the heap and outside of it. */
  readonly heldBytes: number
  /** Bytes that readers have not taken. */
  readonly unsentBytes: number
}

const PLENTY = 1_000_000_000
/** More streams than the service admits by default, of few addresses. */
const limits = {
  changesRequestsPerMinute: PLENTY,
  streamsPerClientMax: PLENTY,
  streamsPerNetworkMax: PLENTY,
  streamsPerProviderMax: PLENTY,
  streamsMax: PLENTY,
  connectionsPerClientMax: PLENTY,
  connectionsPerNetworkMax: PLENTY,
  connectionsPerProviderMax: PLENTY,
  connectionsMax: 16_384,
}

let receivedMs: Array<readonly [number, number]> = []

/** The same log, whose portions are noted when its follower gets them. */
const noted = (changes: ChangeLog): ChangeLog => ({
  ...changes,
  follow: (place) =>
    Stream.map(changes.follow(place), (portion) => {
      const atMs = sharedNowMs()
      for (const { ordinal } of portion.changes) receivedMs.push([ordinal, atMs])
      return portion
    }),
})

const report = async (question: ServerQuestion, registry: Registry): Promise<ServerReport> => {
  const received = receivedMs
  receivedMs = []
  if (question === "held") global.gc?.()
  const { heapUsed, external } = process.memoryUsage()
  const metrics = await registry.metrics()
  return {
    receivedMs: received,
    heldBytes: heapUsed + external,
    unsentBytes: sampleOf(metrics, "tidewire_changes_unsent_bytes"),
  }
}

const serve = Effect.gen(function* () {
  const log = yield* openLmdbLog({ path: process.argv[2] ?? "" })
  const changes = noted(makeChangeLog({ log, archive: null, ...everythingShown }))
  const window = new ChangeWindow(makeReady(changingFeeds(endpoints)), WINDOW_BOUNDS)
  yield* Effect.forkScoped(followChanges(changes, window))
  const registry = new Registry()
  const app = yield* Effect.promise(() => openFreeApi({ limits, changes: { log: changes, window }, registry }))
  const address = yield* Effect.promise(() => app.listen({ host: "127.0.0.1", port: 0 }))
  process.on("message", async (question: ServerQuestion) => process.send?.(await report(question, registry)))
  process.send?.(address)
  return yield* Effect.never
})

// As the service does.
returnFreedMemory()
boundBufferPools()
process.once("disconnect", () => process.exit(0))
Effect.runFork(Effect.scoped(serve).pipe(Effect.provide(Logger.layer([]))))
