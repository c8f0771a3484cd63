import * as Schema from "effect/Schema"
import { endpoint } from "../contract/endpoint.ts"
import { clause, itemWords, unknown } from "../contract/glance.ts"
import { states } from "../contract/plot.ts"
import { Instant } from "../event.ts"
import { type ListPayload, listFeed, type Parameters } from "../feed.ts"
import { HttpUrl, NonEmptyTextUpTo } from "../values.ts"

/** The services whose status pages are read: our word for each, and its name. */
export const services = {
  github: "GitHub",
  cloudflare: "Cloudflare",
  openai: "OpenAI",
  claude: "Claude",
  vercel: "Vercel",
  netlify: "Netlify",
  npm: "npm",
  digitalocean: "DigitalOcean",
  atlassian: "Atlassian",
  discord: "Discord",
  reddit: "Reddit",
  twilio: "Twilio",
} as const

/** Our word for a service. */
export type ServiceId = keyof typeof services

export const serviceIds = Object.keys(services) as ReadonlyArray<ServiceId>

/** All instances of the feed, in the order in which they are shown. */
export const serviceInstances: ReadonlyArray<Parameters> = serviceIds.map((service) => ({ service }))

/** The service that an instance is of, if it is one of ours. */
export const serviceIdOf = ({ service }: Parameters): ServiceId | undefined => serviceIds.find((id) => id === service)

/** How a service says it is doing: `operational`, how bad it is else, or that it is being worked on. */
export const serviceStatuses = ["operational", "minor", "major", "critical", "maintenance"] as const

export const DESCRIPTION_MAX_CHARACTERS = 200
export const INCIDENTS_MAX = 50
/** Parts that one incident touches, on some pages each data centre. An incident of more cannot be read. */
const INCIDENT_COMPONENTS_MAX = 500
export const INCIDENT_NAME_MAX_CHARACTERS = 300
export const COMPONENT_NAME_MAX_CHARACTERS = 120

/** An incident that a service has published and not yet called resolved. */
export const Incident = Schema.Struct({
  id: Schema.NonEmptyString.check(Schema.isMaxLength(80)),
  name: NonEmptyTextUpTo(INCIDENT_NAME_MAX_CHARACTERS),
  /** Null where the page uses a word that we do not know. */
  stage: Schema.NullOr(Schema.Literals(["investigating", "identified", "monitoring", "resolved", "postmortem"])),
  impact: Schema.NullOr(Schema.Literals(["none", "minor", "major", "critical", "maintenance"])),
  startedAt: Schema.NullOr(Instant),
  updatedAt: Schema.NullOr(Instant),
  /** Names of the parts of the service that it touches. */
  components: Schema.Array(NonEmptyTextUpTo(COMPONENT_NAME_MAX_CHARACTERS)).check(
    Schema.isMaxLength(INCIDENT_COMPONENTS_MAX),
  ),
  url: Schema.NullOr(HttpUrl),
})
export type Incident = typeof Incident.Type

/** How one service is doing as a whole, by its own status page. */
export const ServiceFacts = Schema.Struct({
  status: Schema.Literals(serviceStatuses),
  description: NonEmptyTextUpTo(DESCRIPTION_MAX_CHARACTERS),
  /** The page's parts, groups not counted: how many there are, and how many are not operational. */
  components: Schema.Struct({ count: Schema.Natural, affected: Schema.Natural }),
  /** Whether the incidents were read. Without, the list is empty and says nothing. */
  incidentsKnown: Schema.Boolean,
})
export type ServiceFacts = typeof ServiceFacts.Type

/** What a status page says: its unresolved incidents, and the service as a whole. */
export type ServiceStatus = ListPayload<Incident, ServiceFacts>

export const serviceStatus = listFeed({
  name: "service-status",
  instances: serviceInstances,
  description: "What the status page of a service says of it, with its unresolved incidents.",
  item: Incident,
  facts: ServiceFacts,
  itemsMax: INCIDENTS_MAX,
  key: (item) => item.id,
  // No promise about the content's age: the page of a healthy service may rightly not change for weeks.
})

const { id, name, stage, impact, startedAt, updatedAt, components, url } = Incident.fields

/** One unresolved incident as the endpoint and the briefing state it. */
const IncidentRow = Schema.Struct({
  id,
  name,
  stage: stage.annotate({ description: "What its service does about it; null where the page uses another word" }),
  impact: impact.annotate({ description: "How grave its service calls it; null where the page uses another word" }),
  started_at: startedAt,
  updated_at: updatedAt,
  components: components.annotate({ description: "Names of the parts of the service that it touches" }),
  url: url.annotate({ description: "The page about it" }),
})

/** One service as the endpoint and the briefing state it. */
export const ServiceRow = Schema.Struct({
  name: Schema.NonEmptyString,
  status: Schema.NullOr(Schema.Literals(serviceStatuses)).annotate({
    description:
      "The page's own word for the worst that is going on. Where that is none although parts are degraded: minor, with a major outage of a part major, with planned work alone maintenance. Null while the page has never been read",
  }),
  description: Schema.NullOr(NonEmptyTextUpTo(DESCRIPTION_MAX_CHARACTERS)).annotate({
    description: "The page's own sentence",
  }),
  incident_count: Schema.NullOr(Schema.Natural).annotate({
    description: "Unresolved incidents; null where the page does not say",
  }),
  components_affected: Schema.NullOr(Schema.Natural).annotate({
    description: "Parts of the service that are not operational, planned maintenance included",
  }),
  component_count: Schema.NullOr(Schema.Natural).annotate({ description: "Parts that the page lists" }),
  incidents: Schema.NullOr(Schema.Array(IncidentRow).check(Schema.isMaxLength(INCIDENTS_MAX))).annotate({
    description: "Its unresolved incidents; null as for incident_count",
  }),
})
export type ServiceRow = typeof ServiceRow.Type

/** How the status of a service looks. */
const lookOf = (status: ServiceRow["status"]) =>
  status === null
    ? "missed"
    : status === "operational"
      ? "good"
      : status === "major" || status === "critical"
        ? "bad"
        : "warn"

export const serviceStatusEndpoint = endpoint({
  path: "/api/service-status",
  name: "service_status",
  kind: "prepared",
  tier: "free",
  subject: "infrastructure",
  ttl: "60 seconds",
  summary: "Status of well-known internet services, by their own status pages",
  description: [
    "Always every monitored service, in a fixed order. `status` is the page's own overall word. Large networks call",
    "themselves `minor` for a single data centre under maintenance: `components_affected` of `component_count` says how",
    "much of the service that is.",
  ].join(" "),
  parameters: {},
  data: Schema.Array(ServiceRow).check(Schema.isMaxLength(serviceIds.length)),
  changes: [
    {
      feed: serviceStatus,
      row: IncidentRow,
      title: ({ name, stage, impact }, { parameters }) => itemWords(parameters.service, name, stage, impact),
    },
  ],
  glance: {
    title: "Service status",
    plots: (rows) => [
      states(
        "Services by their own status pages",
        rows.map(({ name, status }) => ({ label: name, state: lookOf(status), words: status ?? "not read" })),
      ),
    ],
    headline: (rows) => {
      const read = rows.filter(({ status }) => status !== null)
      if (read.length === 0) return unknown("No status page was read yet")
      const troubled = read.filter(({ status }) => status !== "operational")
      return {
        value: troubled.length,
        unit: null,
        note: clause(
          `of ${read.length} services not fully operational`,
          ...troubled.map(({ name, status }) => `${name} ${status}`),
          read.length === rows.length ? null : `${rows.length - read.length} not read`,
        ),
      }
    },
  },
  example: [
    {
      name: "GitHub",
      status: "operational",
      description: "All Systems Operational",
      incident_count: 0,
      components_affected: 0,
      component_count: 11,
      incidents: [],
    },
    {
      name: "Cloudflare",
      status: "minor",
      description: "Minor Service Outage",
      incident_count: 1,
      components_affected: 14,
      component_count: 366,
      incidents: [
        {
          id: "k3v9xq2t7m1p",
          name: "Delayed log delivery",
          stage: "monitoring",
          impact: "minor",
          started_at: "2026-08-17T19:12:40.000Z",
          updated_at: "2026-08-17T20:20:11.000Z",
          components: ["Logs"],
          url: "https://www.cloudflarestatus.com/incidents/k3v9xq2t7m1p",
        },
      ],
    },
  ],
})
