import { afterAll, beforeAll, describe, expect, it } from "vitest"
import packageJson from "../../package.json" with { type: "json" }
import { describeUnless } from "../support/describe-unless.ts"
import { eventually } from "../support/eventually.ts"
import { checkMetrics, promtoolMissing } from "../support/promtool.ts"
import { removeDirectory, type Service, startService, temporaryDirectory } from "../support/service.ts"
import { someFeed } from "../support/some-feed.ts"
import { startWorld, type WorldServer } from "../world/server.ts"

const directory = temporaryDirectory()
let world: WorldServer
let service: Service

const metrics = async () => (await fetch(`${service.adminUrl}/metrics`)).text()
/** The value of a sample; undefined where there is none. */
const sampleOf = (text: string, name: string, labels: Readonly<Record<string, string>>) => {
  const wanted = Object.entries(labels).map(([label, value]) => `${label}="${value}"`)
  const line = text
    .split("\n")
    .find(
      (one) =>
        (one.startsWith(`${name}{`) || one.startsWith(`${name} `)) && wanted.every((label) => one.includes(label)),
    )
  return line === undefined ? undefined : Number(line.split(" ").at(-1))
}

beforeAll(async () => {
  world = await startWorld({ seed: "metrics" })
  service = await startService({
    dataDirectory: directory,
    offered: [someFeed.path],
    environment: { UPSTREAMS: world.url, LOG_LEVEL: "warn" },
  })
  await service.filled()
})

afterAll(async () => {
  await service?.end("SIGKILL")
  await world?.close()
  removeDirectory(directory)
})

describe("the metrics of a service", () => {
  it("report what runs, how old feeds and views are, the size of the log, and the free space", async () => {
    const text = await eventually("the log was measured", async () => {
      const all = await metrics()
      return (sampleOf(all, "tidewire_log_end_offset", { topic: "views" }) ?? 0) > 0 && all
    })
    expect(sampleOf(text, "tidewire_build_info", { version: packageJson.version, node: process.version })).toBe(1)
    for (const age of [
      sampleOf(text, "tidewire_ingest_feed_age_seconds", { feed: someFeed.feed.name }),
      sampleOf(text, "tidewire_api_view_age_seconds", { endpoint: someFeed.view.endpoint.name }),
    ]) {
      expect(age).toBeGreaterThanOrEqual(0)
      expect(age).toBeLessThan(3600)
    }
    expect(sampleOf(text, "tidewire_log_bytes", { topic: "observations" })).toBeGreaterThan(1000)
    expect(sampleOf(text, "tidewire_disk_free_bytes", {})).toBeGreaterThan(1_000_000)
    expect(sampleOf(text, "tidewire_role_state", { role: "ledger", part: "writer", state: "active" })).toBe(1)
    expect(sampleOf(text, "tidewire_role_state", { role: "ledger", part: "writer", state: "stopped" })).toBe(0)
  })

  it("cover only this process's roles, and describe the process once", async () => {
    const text = await metrics()
    expect(text).not.toContain("tidewire_ledger_client_")
    expect(text.match(/^process_resident_memory_bytes/gm)).toHaveLength(1)
  })
})

describeUnless(promtoolMissing(), "the metrics of a service, by promtool", () => {
  it("are without a word of complaint", async () => {
    expect(await checkMetrics(await metrics())).toEqual({ code: 0, output: "" })
  })
})
