import * as Effect from "effect/Effect"
import { startIngest } from "../../ingestors/poll/runner.ts"
import { hostPaces } from "../../ingestors/providers.ts"
import { sources } from "../../ingestors/registry.ts"
import type { Source } from "../../ingestors/source.ts"
import { machineClocks } from "../../ledger/write/clock.ts"
import type { EventLog } from "../../schemas/ports/event-log.ts"
import type { Settings } from "../config/settings.ts"
import { type Observe, observeBy } from "../demand/observe.ts"
import { defaultLimits } from "../http/gate.ts"
import { makeHttpClient } from "../http/undici-client.ts"
import type { Status } from "../parts/part.ts"
import { supervise } from "../parts/part.ts"
import { reportingLog } from "../parts/part-log.ts"
import { VERSION } from "../telemetry/metrics.ts"
import { restedBy } from "./licensing.ts"
import type { ThreadTime } from "./process-time.ts"
import { makeDateWitness } from "./witnesses.ts"

/** The ingest role of a process. */
export interface IngestRole {
  /** Observes on request while this process is active; null while it is a standby or starting. */
  readonly observe: () => Observe | null
  /** The time on which several upstreams agree; null without agreement. */
  readonly upstreamsNowMs: () => number | null
  readonly run: Effect.Effect<never>
}

/** A queue counts requests by the second of `Date`, which may stand. */
const UNPACED = {
  requestsMax: Number.MAX_SAFE_INTEGER,
  intervalMs: 1_000,
  concurrencyMax: defaultLimits.pace.concurrencyMax,
}

/** The sources that are polled. What endpoints read follows from the views, whose code is loaded only where some are off. */
const polledSources = (settings: Settings): Effect.Effect<ReadonlyArray<Source>> =>
  Effect.promise(async () => {
    if (settings.endpointsOff === null) return sources
    const { offeringOf, sourcesFor } = await import("./offering.ts")
    return sourcesFor(offeringOf(settings), sources)
  })

/** Polls every source that has its key, whose terms allow it and whose data an endpoint needs, and observes on request of the API. */
export const ingestRole = (
  settings: Settings,
  log: EventLog,
  status: Status,
  time: ThreadTime | null = null,
): IngestRole => {
  let active: Observe | null = null
  const hosts = (settings.upstreamHosts ?? []).map((override): readonly [string, string] => {
    const at = override.indexOf("=")
    return [override.slice(0, at), override.slice(at + 1)]
  })
  const dates = makeDateWitness(machineClocks.sinceBootMs)
  const part = status.part("ingest", "polling")
  const run = supervise("ingest", part, (ready) =>
    Effect.gen(function* () {
      const http = yield* makeHttpClient({
        upstreams: settings.upstreams,
        baseUrls: new Map(hosts),
        userAgent: `Tidewire/${VERSION} (${settings.contact})`,
        onDate: dates.note,
        // The pace of a provider does not apply to simulated upstreams.
        ...(settings.pollSecondsMax === null && time === null ? { paces: hostPaces } : {}),
        ...(time === null ? {} : { limits: { pace: UNPACED } }),
      })
      const ingest = yield* startIngest({
        log: reportingLog(log, part),
        http,
        sources: yield* polledSources(settings),
        keys: (name) => settings.providerKeys[name] ?? null,
        addresses: (name) => settings.providerAddresses[name] ?? {},
        restedBySettings: restedBy(settings),
        simulated: settings.upstreams !== null,
        everyMsMax: settings.pollSecondsMax === null ? null : settings.pollSecondsMax * 1000,
        ...(time === null ? {} : { pace: time.pace, random: time.random }),
      })
      yield* Effect.acquireRelease(
        Effect.sync(() => {
          active = observeBy(ingest)
        }),
        () =>
          Effect.sync(() => {
            active = null
          }),
      )
      yield* ready
      return yield* ingest.stopped
    }),
  )
  return { observe: () => active, upstreamsNowMs: dates.nowMs, run }
}
