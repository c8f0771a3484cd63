import { statusHosts } from "../../../ingestors/sources/statuspage.ts"
import { serviceIds, services } from "../../../schemas/feeds/service-status.ts"
import { simulatedUpstream } from "../upstream.ts"
import type { Happening, World } from "../world.ts"

const MINUTE_MS = 60_000
const HOUR_MS = 60 * MINUTE_MS
const DAY_MS = 24 * HOUR_MS
/** A service has an incident about every two days, and it lasts up to six hours. */
const PER_HOUR = 1 / 48
const HOURS_MAX = 6
/** Besides, every five hours some service has one that lasts six: at any time there is an open incident. */
const LONG_EVERY_MS = 5 * HOUR_MS
const HISTORY_DAYS = 30
const HISTORY_MAX = 50

type Service = (typeof serviceIds)[number]
const serviceOf = new Map(serviceIds.map((service) => [statusHosts[service], service]))

const parts = ["API Requests", "Dashboard", "Webhooks", "Authentication", "Search", "Billing", "Notifications"] as const
const troubles = ["Elevated errors on", "Delays in", "Degraded performance of"] as const
const impacts = ["none", "minor", "minor", "minor", "major", "critical"] as const
const stages = ["investigating", "identified", "monitoring", "resolved"] as const

/** An incident of a service of the world, as it stands now. */
export interface WorldIncident {
  readonly id: string
  readonly name: string
  readonly part: string
  readonly impact: (typeof impacts)[number]
  readonly stage: (typeof stages)[number]
  readonly startedMs: number
  readonly updatedMs: number
}

/** The long incidents of a service that began in [fromMs, now], each with the five hours that it stands for. */
const longOf = (world: World, service: Service, fromMs: number): ReadonlyArray<Happening> => {
  const first = Math.ceil(fromMs / LONG_EVERY_MS)
  const turns = Array.from({ length: Math.floor(world.nowMs / LONG_EVERY_MS) - first + 1 }, (_, index) => first + index)
  return turns
    .map((turn) => ({ turn, random: (label: string) => world.random("long incident", turn, label) }))
    .filter(({ random }) => serviceIds[Math.floor(random("service") * serviceIds.length)] === service)
    .map(({ turn, random }) => ({
      id: Math.floor(random("id") * 16 ** 10)
        .toString(16)
        .padStart(10, "0"),
      atMs: turn * LONG_EVERY_MS,
      random,
    }))
}

/** Incidents of a service that began in the last `days`, newest first, resolved ones included. */
export const incidentsOf = (world: World, service: Service, days: number): ReadonlyArray<WorldIncident> => {
  const fromMs = world.nowMs - days * DAY_MS
  const long = longOf(world, service, fromMs)
  const short = world.happenings(`incident/${service}`, PER_HOUR, fromMs, world.nowMs)
  return [
    ...long.map((happening) => ({ happening, hours: HOURS_MAX })),
    ...short.map((happening) => ({ happening, hours: 0.5 + happening.random("hours") * (HOURS_MAX - 0.5) })),
  ]
    .sort((a, b) => b.happening.atMs - a.happening.atMs)
    .map(({ happening: { id, atMs, random }, hours }) => {
      const lastsMs = hours * HOUR_MS
      const step = Math.min(3, Math.floor(((world.nowMs - atMs) / lastsMs) * 3))
      const part = parts[Math.floor(random("part") * parts.length)] ?? parts[0]
      return {
        // A compatible page of another maker has ULIDs.
        id: service === "openai" ? `01JXTW${id.toUpperCase()}0000000000` : `${id}tw`,
        name: `${troubles[Math.floor(random("trouble") * troubles.length)] ?? troubles[0]} ${part}`,
        part,
        impact: impacts[Math.floor(random("impact") * impacts.length)] ?? "minor",
        stage: stages[step] ?? "resolved",
        startedMs: atMs,
        updatedMs: Math.round(atMs + (step * lastsMs) / 3),
      }
    })
}

/** Some pages write their times with an offset. */
const timeOf = (service: Service) => (ms: number) =>
  service === "discord" ? `${new Date(ms - 7 * HOUR_MS).toISOString().slice(0, -1)}-07:00` : new Date(ms).toISOString()

const componentsOf = (world: World, service: Service, open: ReadonlyArray<WorldIncident>) => {
  const time = timeOf(service)
  const component = (name: string, status: string, more: object = {}) => ({
    id: `${service}-${name.toLowerCase().replace(/[^a-z0-9]+/g, "-")}`,
    name,
    status,
    created_at: time(Date.UTC(2019, 0, 1)),
    updated_at: time(world.nowMs - DAY_MS),
    position: 1,
    description: null,
    showcase: false,
    start_date: null,
    group_id: null,
    page_id: service,
    ...(service === "openai" ? {} : { group: false }),
    only_show_if_degraded: false,
    ...more,
  })
  const own = parts.map((part) =>
    component(part, open.some((incident) => incident.part === part) ? "degraded_performance" : "operational"),
  )
  // A large network always has a data centre under maintenance; groups list what is listed itself too.
  if (service === "cloudflare")
    return [
      component("South America", "partial_outage", { group: true, components: ["cloudflare-arica-ari-"] }),
      component("Arica - (ARI)", "partial_outage"),
      component("Baghdad - (BGW)", "under_maintenance"),
      ...own,
    ]
  if (service === "github") return [component("Visit www.githubstatus.com for more information", "operational"), ...own]
  return own
}

const incidentWire = (service: Service, incident: WorldIncident) => {
  const time = timeOf(service)
  return {
    id: incident.id,
    name: incident.name,
    status: incident.stage,
    created_at: time(incident.startedMs),
    updated_at: time(incident.updatedMs),
    monitoring_at: null,
    resolved_at: incident.stage === "resolved" ? time(incident.updatedMs) : null,
    impact: incident.impact,
    shortlink: `https://stspg.io/${incident.id}`,
    started_at: time(incident.startedMs),
    page_id: service,
    incident_updates: [
      {
        id: `${incident.id}u`,
        status: incident.stage,
        body: "We are looking into it.<br /><br />More will follow.",
        incident_id: incident.id,
        created_at: time(incident.updatedMs),
        affected_components: null,
      },
    ],
    components: [{ id: `${service}-x`, name: incident.part, status: "degraded_performance", group: false }],
    reminder_intervals: null,
  }
}

const descriptions = {
  none: "All Systems Operational",
  minor: "Minor Service Outage",
  major: "Partial System Outage",
  critical: "Major System Outage",
} as const

/** The overall status of a page: the worst of its open incidents. */
export const indicatorOf = (service: Service, open: ReadonlyArray<WorldIncident>): keyof typeof descriptions =>
  (["critical", "major", "minor"] as const).find((word) => open.some(({ impact }) => impact === word)) ??
  (service === "cloudflare" ? "minor" : "none")

export default simulatedUpstream({
  name: "statuspage",
  hosts: Object.values(statusHosts),
  answer: ({ host, path }, world) => {
    const service = serviceOf.get(host)
    if (service === undefined) return null
    const open = incidentsOf(world, service, HOURS_MAX / 24).filter(({ stage }) => stage !== "resolved")
    const indicator = indicatorOf(service, open)
    const page = {
      id: service,
      name: services[service],
      url: `https://${host}`,
      time_zone: "Etc/UTC",
      updated_at: timeOf(service)(Math.max(0, ...open.map(({ updatedMs }) => updatedMs)) || world.nowMs - DAY_MS),
    }
    const status = { indicator, description: descriptions[indicator] }
    const components = componentsOf(world, service, open)
    const incidents = open.map((incident) => incidentWire(service, incident))
    switch (path) {
      case "/api/v2/status.json":
        return { body: { page, status } }
      case "/api/v2/components.json":
        return { body: { page, components } }
      case "/api/v2/incidents/unresolved.json":
        return { body: { page, incidents } }
      case "/api/v2/incidents.json":
        return {
          body: {
            page,
            incidents: incidentsOf(world, service, HISTORY_DAYS)
              .slice(0, HISTORY_MAX)
              .map((incident) => incidentWire(service, incident)),
          },
        }
      case "/api/v2/scheduled-maintenances/upcoming.json":
        return { body: { page, scheduled_maintenances: [] } }
      case "/api/v2/summary.json":
        // The compatible page (incident.io) has no list of incidents in its summary.
        return {
          body: {
            page,
            components,
            ...(service === "openai" ? {} : { incidents }),
            scheduled_maintenances: [],
            status,
          },
        }
      default:
        return null
    }
  },
})
