import { Effect } from "effect"
import { describe, expect, it } from "vitest"
import type { Upstream } from "../../ingestors/document.ts"
import { HttpFailed } from "../../ingestors/http-client.port.ts"
import internetPulse from "../../ingestors/sources/internet-pulse.ts"
import pulseTable from "../../processors/tables/internet_pulse/table.ts"
import pulseView from "../../processors/views/internet-pulse.ts"
import { makeEvent } from "../../schemas/event.ts"
import { itemChanged } from "../../schemas/events/deltas.ts"
import { pulseTargets } from "../../schemas/feeds/internet-pulse.ts"
import simulated from "../world/upstreams/internet-pulse.ts"
import { worldAt } from "../world/world.ts"
import { normalised, pollFailure, reading, shown } from "./feed-test.ts"

const NOW_MS = Date.parse("2026-11-20T12:34:56.000Z")

/** Answers each target with its latency, those of `silent` not at all. */
const line = (silent: (host: string) => boolean): Upstream => ({
  get: () => Effect.die("nothing is fetched"),
  probe: (address, timeoutMs) => {
    const { host, pathname } = new URL(address)
    const reply = simulated.answer({ host, path: pathname, query: new URLSearchParams() }, worldAt("test", NOW_MS))
    if (!simulated.hosts.includes(host) || reply === null) throw new Error(`the world does not answer for ${address}`)
    return silent(host)
      ? Effect.fail(
          new HttpFailed({
            reason: "timeout",
            host,
            status: null,
            retryAfterMs: null,
            message: `after ${timeoutMs} ms`,
          }),
        )
      : Effect.succeed({ latencyMs: simulated.hosts.indexOf(host) * 10 + 0.4 })
  },
})

const show = async (upstream: Upstream) => {
  const collected = await Effect.runPromise(internetPulse.collect(upstream, {}, null))
  return shown(pulseView, [reading(normalised(internetPulse, collected).payload)], { nowMs: NOW_MS })
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
  it("fails when nothing answers, rather than calling the world down", async () => {
    expect(
      await pollFailure(
        internetPulse,
        line(() => true),
      ),
    ).toMatchObject({ value: { reason: "timeout" } })
  })
  it("makes a row of a target", () => {
    const data = {
      feed: "internet-pulse",
      parameters: {},
      provider: "Tidewire.internet_pulse",
      key: "Asia",
      item: { name: "Asia", host: "h", latencyMs: null },
      observedAt: "2026-11-20T12:34:56.000Z",
    }
    const event = makeEvent(itemChanged, { id: "1", source: "s", subject: "x", time: data.observedAt, data })
    const rows = pulseTable.rows(event)
    expect(rows).toEqual([{ target: "Asia", host: "h", latency_ms: null, observed_at: data.observedAt }])
    expect(rows.map((row) => pulseTable.partition(row))).toEqual(["202611"])
  })
})
