import * as Exit from "effect/Exit"
import { describe, expect, it } from "vitest"
import type { Upstream } from "../../ingestors/document.ts"
import type { Source } from "../../ingestors/source.ts"
import statuspage, { statusHosts } from "../../ingestors/sources/statuspage.ts"
import serviceIncidents from "../../processors/tables/service_incidents/table.ts"
import serviceStatusView from "../../processors/views/service-status.ts"
import {
  type ServiceRow,
  serviceIds,
  serviceInstances,
  serviceStatus,
  services,
} from "../../schemas/feeds/service-status.ts"
import simulated, { incidentsOf, indicatorOf } from "../world/upstreams/statuspage.ts"
import { worldAt } from "../world/world.ts"
import { capturesAbsent, collectedCapture, decodedCapture } from "./support/captures.ts"
import { feedTest, polled } from "./support/feed-test.ts"
import { normalised } from "./support/read.ts"
import { OBSERVED_AT } from "./support/rows.ts"
import { reading, shown } from "./support/shown.ts"
import { collect, observed, upstreamOf } from "./support/world.ts"

const NOW_MS = Date.parse("2026-11-20T12:34:56.789Z")
const HOUR_MS = 3_600_000
const untyped = statuspage as Source<never, unknown>
const rows = (readings: Parameters<typeof shown>[1]) =>
  shown(serviceStatusView, readings, { nowMs: NOW_MS }) as ReadonlyArray<ServiceRow>

const page = { name: "x" }
const github = { service: "github" }

feedTest({
  feed: serviceStatus,
  glances: {
    service_status: [1, null, "of 2 services not fully operational, Cloudflare minor"],
  },
  polls: [
    polled({
      source: statuspage,
      world: simulated,
      freeText: true,
      breakRow: (answer) => ({
        ...answer,
        incidents: ["a", "b", ""].map((id) => ({ id, name: id, status: "open", impact: "minor" })),
      }),
      refused: [
        [
          "a page whose word is not known",
          { page: {}, status: { indicator: "fine" }, components: [], incidents: [] },
          /not known/,
        ],
      ],
    }),
  ],
  views: [serviceStatusView],
  table: serviceIncidents,
  rows: [
    {
      kind: "gone",
      parameters: github,
      item: {
        id: "a",
        name: "N",
        stage: null,
        impact: "minor",
        startedAt: null,
        updatedAt: "2026-11-20T12:00:00.000Z",
        components: ["API"],
        url: null,
      },
      makes: {
        service: "github",
        id: "a",
        name: "N",
        stage: "",
        impact: "minor",
        components: ["API"],
        started_at: null,
        updated_at: "2026-11-20T12:00:00.000Z",
        url: "",
        open: false,
        observed_at: OBSERVED_AT,
      },
    },
  ],
})

describe.skipIf(capturesAbsent)("captured pages", () => {
  it("are served by their own word, groups not counted", () => {
    const made = normalised(statuspage, collectedCapture(statuspage, "summary", "cloudflare-summary-2026-08-07.json"))
    expect(made.payload).toEqual({
      items: [],
      facts: {
        status: "minor",
        description: "Minor Service Outage",
        components: { count: 2, affected: 2 },
        incidentsKnown: true,
      },
    })
    expect(made.contentAtMs).toBe(Date.parse("2026-08-07T02:48:45.271Z"))
  })
  it("with incidents list each of them once", () => {
    type Summary = Parameters<typeof statuspage.read>[0]
    const { incidents } = decodedCapture<Required<Pick<Summary, "incidents">>>(
      untyped,
      "incidents",
      "github-incidents-2026-07.json",
    )
    const { page, status } = decodedCapture<Summary>(untyped, "status", "github-status-2023-09-26.json")
    const { payload } = normalised(statuspage, {
      page,
      status,
      incidents: [...(incidents ?? []), ...(incidents ?? [])],
    })
    expect(payload.items).toHaveLength(5)
    expect(payload.items[0]).toEqual({
      id: "9tpgqq1h4bs7",
      name: "Copilot model Claude Fable 5 experiencing elevated errors",
      stage: "resolved",
      impact: "minor",
      startedAt: "2026-07-30T09:07:42.413Z",
      updatedAt: "2026-07-30T10:12:15.506Z",
      components: ["Copilot AI Model Providers"],
      url: "https://stspg.io/45g8r57kv3n9",
    })
  })
})

describe("service status", () => {
  const component = (name: string, status: string, group?: boolean) => ({
    id: name,
    name,
    status,
    ...(group === undefined ? {} : { group }),
  })

  it("reads pages without incidents, and with unknown words", () => {
    const { payload } = normalised(statuspage, {
      page,
      status: { indicator: "none", description: " " },
      components: [
        component("API", "operational"),
        component("Visit www.githubstatus.com for more information", "operational"),
      ],
      incidents: [{ id: "01J", name: "", status: "open", impact: "dire", started_at: "2026-11-20T05:00:00-07:00" }],
    })
    expect(payload).toEqual({
      facts: {
        status: "operational",
        description: "operational",
        components: { count: 1, affected: 0 },
        incidentsKnown: true,
      },
      items: [
        {
          id: "01J",
          name: "Unnamed incident",
          stage: null,
          impact: null,
          startedAt: "2026-11-20T12:00:00.000Z",
          updatedAt: null,
          components: [],
          url: null,
        },
      ],
    })
  })
  it("names each part that an incident touches", () => {
    const components = Array.from({ length: 350 }, (_, n) => ({ name: `Data centre ${n}` }))
    const { payload } = normalised(statuspage, {
      page,
      status: { indicator: "minor" },
      components: [],
      incidents: [{ id: "1", name: "Network", status: "investigating", components }],
    })
    expect(payload.items[0]?.components).toEqual(components.map(({ name }) => name))
  })
  it("of a service whose page was never read is null, not operational", () => {
    const heard = {
      items: [],
      facts: {
        status: "major",
        description: "Down",
        components: { count: 3, affected: 1 },
        incidentsKnown: true,
      },
    }
    const table = rows([reading(heard, { service: "npm" })])
    expect(table.map(({ name }) => name)).toEqual(Object.values(services))
    expect(table.filter(({ status }) => status !== null)).toEqual([
      {
        name: "npm",
        status: "major",
        description: "Down",
        incident_count: 0,
        components_affected: 1,
        component_count: 3,
        incidents: [],
      },
    ])
    expect(table[0]).toEqual({
      name: "GitHub",
      status: null,
      description: null,
      incident_count: null,
      components_affected: null,
      component_count: null,
      incidents: null,
    })
  })
  it("counts the incidents of a page whose summary has none by the list beside it, and says null where that fails", async () => {
    const openai = { service: "openai" }
    const readIn = async (trouble: (url: string) => boolean) => {
      const world = upstreamOf(simulated, worldAt("test", NOW_MS))
      const gone = upstreamOf(simulated, worldAt("test", NOW_MS), { unreachable: simulated.hosts })
      const upstream: Upstream = {
        ...world,
        fetch: (document, input) => (trouble(document.url(input)) ? gone : world).fetch(document, input),
      }
      const collected = await collect(statuspage, upstream, openai)
      if (Exit.isFailure(collected)) throw new Error(String(collected.cause))
      const { payload } = normalised(statuspage, collected.value, { parameters: openai })
      return rows([reading(payload, openai)]).find(({ name }) => name === "OpenAI")
    }
    const open = incidentsOf(worldAt("test", NOW_MS), "openai", 0.25).filter(({ stage }) => stage !== "resolved")
    expect(await readIn(() => false)).toMatchObject({ incident_count: open.length })
    const unknown = await readIn((url) => url.endsWith("/incidents.json"))
    expect(unknown?.incident_count).toBeNull()
    expect(unknown?.status).not.toBeNull()
  })
  it("reads each service's own host, under a name of its own", () => {
    expect(new Set(Object.values(statusHosts)).size).toBe(serviceIds.length)
    expect(statuspage.instances).toEqual(serviceInstances)
    expect(statuspage.provider({ service: "github" })).toBe("Statuspage.github")
    const { summary } = statuspage.documents
    expect(summary?.url({ service: "openai" })).toBe("https://status.openai.com/api/v2/summary.json")
    expect(summary?.url({ service: "constructor" })).toBe("https://status.invalid/api/v2/summary.json")
  })
  it("of the world is the one shown, in trouble and out of it", async () => {
    // Over two days every service of the world has some trouble.
    const seen = new Set<string>()
    for (let atMs = NOW_MS; atMs < NOW_MS + 48 * HOUR_MS; atMs += 8 * HOUR_MS) {
      const readings = await Promise.all(
        serviceInstances.map(async (instance) =>
          reading((await observed(statuspage, simulated, atMs, instance)).payload, instance),
        ),
      )
      const world = worldAt("test", atMs)
      const expected = serviceIds.map((service) => {
        const open = incidentsOf(world, service, 0.25).filter(({ stage }) => stage !== "resolved")
        const indicator = indicatorOf(service, open)
        // A page with the overall status "operational" still has an incident in one of its parts.
        const word = indicator !== "none" ? indicator : open.length === 0 ? "operational" : "minor"
        return [services[service], word, open.length]
      })
      const table = rows(readings)
      expect(table.map(({ name, status, incident_count }) => [name, status, incident_count])).toEqual(expected)
      for (const { status } of table) seen.add(String(status))
    }
    expect(seen.has("operational") && seen.has("minor") && seen.size > 2).toBe(true)
  })
})
