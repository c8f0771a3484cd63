import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import { describe, expect, it } from "vitest"
import type { Upstream } from "../../ingestors/document.ts"
import { HttpFailed } from "../../ingestors/http-client.port.ts"
import source from "../../ingestors/sources/internet-pulse.ts"
import pulseTable from "../../processors/tables/internet_pulse/table.ts"
import pulseView from "../../processors/views/internet-pulse.ts"
import { internetPulse, type Pulse, pulseTargets } from "../../schemas/feeds/internet-pulse.ts"
import simulated from "../world/upstreams/internet-pulse.ts"
import { feedTest, polled } from "./support/feed-test.ts"
import { normalised } from "./support/read.ts"
import { OBSERVED_AT } from "./support/rows.ts"
import { reading, shown } from "./support/shown.ts"
import { collect } from "./support/world.ts"

const NOW_MS = Date.parse("2026-11-20T12:34:56.000Z")
const silent: Pulse = { name: "Asia", host: "h", latencyMs: null }

feedTest({
  feed: internetPulse,
  glances: {
    internet_pulse: [92, "ms", "median to 1 place from here, US East 92 ms, no answer from Asia"],
  },
  // Rows are made of our own probes: each can be read, and no upstream writes into them.
  polls: [polled({ source, world: simulated, freeText: false, breakRow: null, refused: [] })],
  views: [pulseView],
  table: pulseTable,
  rows: [
    {
      kind: "changed",
      item: silent,
      makes: { target: "Asia", host: "h", latency_ms: null, observed_at: OBSERVED_AT },
    },
    { kind: "gone", item: silent, makes: null },
  ],
})

/** Answers the probe of each target with a latency of its own, those of `isSilent` not at all. */
const line = (isSilent: (host: string) => boolean): Upstream => ({
  fetch: () => Effect.die("nothing is fetched"),
  probe: (address, timeoutMs) => {
    const { host } = new URL(address)
    const message = `after ${timeoutMs} ms`
    return isSilent(host)
      ? Effect.fail(new HttpFailed({ reason: "timeout", host, status: null, retryAfterMs: null, message }))
      : Effect.succeed({ latencyMs: simulated.hosts.indexOf(host) * 10 + 0.4 })
  },
})

const show = async (upstream: Upstream) => {
  const collected = await collect(source, upstream)
  if (Exit.isFailure(collected)) throw new Error(String(collected.cause))
  return shown(pulseView, [reading(normalised(source, collected.value).payload)], { nowMs: NOW_MS })
}

describe("internet pulse", () => {
  it("shows six targets in whole milliseconds", async () => {
    const data = await show(line(() => false))
    expect(data).toEqual(pulseTargets.map((name, index) => ({ name, latency_ms: index * 10 })))
  })
  it("shows -1 for a target that does not answer", async () => {
    const data = await show(line((host) => host.includes("eu-central")))
    expect(data).toEqual(pulseTargets.map((name, index) => ({ name, latency_ms: name === "Europe" ? -1 : index * 10 })))
  })
  it("fails when nothing answers: then our own line is down", async () => {
    const failure = Exit.findErrorOption(
      await collect(
        source,
        line(() => true),
      ),
    )
    expect(failure).toMatchObject({ value: { reason: "timeout" } })
  })
})
