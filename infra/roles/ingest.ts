import * as Effect from "effect/Effect"
import { startIngest } from "../../ingestors/poll/runner.ts"
import { hostPaces } from "../../ingestors/providers.ts"
import { sources } from "../../ingestors/registry.ts"
import { machineClocks } from "../../ledger/write/clock.ts"
import { views } from "../../processors/registry.ts"
import { viewInstance } from "../../processors/view/build-view.ts"
import { buildDemanded, isNamedByObservation, readsOf } from "../../processors/view/demanded-view.ts"
import { type Demand, DemandFailed } from "../../schemas/ports/demand.ts"
import type { EventLog } from "../../schemas/ports/event-log.ts"
import type { Settings } from "../config/settings.ts"
import { VERSION } from "../config/version.ts"
import { makeHttpClient } from "../http/undici-client.ts"
import { reportingLog } from "../parts/part-log.ts"
import type { Status } from "../parts/status.ts"
import { supervise } from "../parts/supervise.ts"
import { restedBy } from "./licensing.ts"
import { offeringOf, sourcesFor } from "./offering.ts"
import { makeDateWitness } from "./witnesses.ts"

/** The ingest role of a process. */
export interface IngestRole {
  /** Serves demand requests while this process is active; null while it is a standby or starting. */
  readonly demand: () => Demand | null
  /** The time on which several upstreams agree; null without agreement. */
  readonly upstreamsNowMs: () => number | null
  readonly run: Effect.Effect<never>
}

type Ingest = Effect.Success<ReturnType<typeof startIngest>>

/** Serves one demand request: fetches through the ingest role, and builds the same view as the fold. */
export const makeDemand = (ingest: Ingest): Demand => ({
  observe: (path, parameters) =>
    Effect.gen(function* () {
      const view = views.find(({ endpoint, onDemand }) => endpoint.path === path && onDemand)
      const instance = view === undefined ? null : viewInstance(view, parameters)
      if (view === undefined || instance === null || !instance.onDemand)
        return yield* new DemandFailed({ reason: "unavailable", retryAfterSeconds: 60 })
      const reads = readsOf(instance)
      const [only] = reads
      const observations =
        only !== undefined && isNamedByObservation(instance)
          ? [yield* ingest.observe(only.feed, only.parameters)]
          : yield* ingest.observeAll({ path, parameters, reads })
      return buildDemanded(view, parameters, observations)
    }),
})

/** Polls every source that has its key, whose terms allow it and whose data an endpoint needs, and serves demand requests of the API. */
export const ingestRole = (settings: Settings, log: EventLog, status: Status): IngestRole => {
  let active: Demand | null = null
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
        ...(settings.pollSecondsMax === null ? { paces: hostPaces } : {}),
      })
      const ingest = yield* startIngest({
        log: reportingLog(log, part),
        http,
        sources: sourcesFor(offeringOf(settings), sources),
        keys: (name) => settings.providerKeys[name] ?? null,
        addresses: (name) => settings.providerAddresses[name] ?? {},
        restedBySettings: restedBy(settings),
        simulated: settings.upstreams !== null,
        everyMsMax: settings.pollSecondsMax === null ? null : settings.pollSecondsMax * 1000,
      })
      yield* Effect.acquireRelease(
        Effect.sync(() => {
          active = makeDemand(ingest)
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
  return { demand: () => active, upstreamsNowMs: dates.nowMs, run }
}
