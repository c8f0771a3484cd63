import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import type { Parameters } from "../../schemas/feed.ts"
import {
  COMPONENT_NAME_MAX_CHARACTERS,
  DESCRIPTION_MAX_CHARACTERS,
  INCIDENT_NAME_MAX_CHARACTERS,
  type Incident,
  type ServiceFacts,
  type ServiceId,
  serviceIdOf,
  serviceStatus,
} from "../../schemas/feeds/service-status.ts"
import { document, type Upstream, UpstreamError } from "../document.ts"
import { instantOrNull } from "../readers/instants.ts"
import { cleanText, httpUrl } from "../readers/text.ts"
import { isoMs, maybe } from "../readers/wire.ts"
import { listSource } from "../source.ts"
import { termsOf } from "../terms.ts"

/** The host of each service's status page. */
export const statusHosts: Readonly<Record<ServiceId, string>> = {
  github: "www.githubstatus.com",
  cloudflare: "www.cloudflarestatus.com",
  openai: "status.openai.com",
  claude: "status.claude.com",
  vercel: "www.vercel-status.com",
  netlify: "www.netlifystatus.com",
  npm: "status.npmjs.org",
  digitalocean: "status.digitalocean.com",
  atlassian: "status.atlassian.com",
  discord: "discordstatus.com",
  reddit: "www.redditstatus.com",
  twilio: "status.twilio.com",
}

export const Page = Schema.Struct({
  name: maybe(Schema.String),
  url: maybe(Schema.String),
  updated_at: maybe(Schema.String),
})
export const Status = Schema.Struct({ indicator: Schema.String, description: maybe(Schema.String) })

export const Component = Schema.Struct({
  id: Schema.String,
  name: Schema.String,
  status: Schema.String,
  /** A group lists components that are listed themselves too. */
  group: maybe(Schema.Boolean),
})

export const WireIncident = Schema.Struct({
  id: Schema.NonEmptyString,
  name: Schema.String,
  status: Schema.String,
  impact: maybe(Schema.String),
  created_at: maybe(Schema.String),
  started_at: maybe(Schema.String),
  updated_at: maybe(Schema.String),
  shortlink: maybe(Schema.String),
  components: maybe(Schema.Array(Schema.Struct({ name: Schema.String }))),
})

/** https://doers.statuspage.io/api/v2/ Pages that are only compatible leave out lists that would be empty. */
const Summary = Schema.Struct({
  page: Page,
  status: Status,
  components: maybe(Schema.Array(Component)),
  incidents: maybe(Schema.Array(Schema.Unknown)),
}).check(
  // Without a list of either, the document is the short one.
  Schema.makeFilter(
    ({ components, incidents }) => components != null || incidents != null || "neither components nor incidents",
  ),
)

/** Only hosts of the table are requested, even for an unknown instance. */
const hostOf = (parameters: Parameters): string => {
  const service = serviceIdOf(parameters)
  return service === undefined ? "status.invalid" : statusHosts[service]
}

const hostIn = (url: string | null | undefined): string | null =>
  URL.parse(url ?? "")?.host.replace(/^www\./, "") ?? null

/** Whether a page is that of the requested service, by its address or name; true if it has neither. */
const isAskedPage = ({ name, url }: typeof Page.Type, parameters: Parameters): boolean => {
  const service = serviceIdOf(parameters)
  if (service === undefined || (name == null && url == null)) return true
  return hostIn(url) === hostIn(`https://${statusHosts[service]}`) || (name ?? "").toLowerCase().includes(service)
}

/** The service that a recorded answer is of. */
const recordedService = (wire: unknown): Parameters | null => {
  const page = Schema.decodeUnknownOption(Schema.Struct({ page: Page }))(wire)
  if (page._tag === "None") return null
  return (
    serviceStatus.instances.find(
      (parameters) => hostIn(`https://${hostOf(parameters)}`) === hostIn(page.value.page.url),
    ) ?? null
  )
}

export const documentOf = <Wire>(path: string, wire: Schema.Codec<Wire, unknown>) =>
  document({
    format: "json",
    wire,
    url: (parameters: Parameters) => `https://${hostOf(parameters)}/api/v2/${path}.json`,
  })

const summary = documentOf("summary", Summary)
/** The latest incidents of a page, resolved ones too: requested of pages whose summary has no list of them (incident.io). */
const incidents = documentOf("incidents", Schema.Struct({ page: maybe(Page), incidents: Schema.Array(Schema.Unknown) }))
/** Stages in which an incident is over. */
const OVER: ReadonlySet<unknown> = new Set(["resolved", "postmortem"])

const isOpen = (row: unknown): boolean =>
  !(typeof row === "object" && row !== null && "status" in row && OVER.has(row.status))

/** A page with its unresolved incidents; null where no document that was read lists them. */
const collect = Effect.fnUntraced(function* (upstream: Upstream, parameters: Parameters) {
  const page = yield* upstream.fetch(summary, parameters)
  if (page.incidents != null) return { ...page, incidents: page.incidents }
  const listed = yield* Effect.result(upstream.fetch(incidents, parameters))
  return { ...page, incidents: Result.isSuccess(listed) ? listed.success.incidents.filter(isOpen) : null }
})
const statuses = new Map<string, ServiceFacts["status"]>([
  ["none", "operational"],
  ["minor", "minor"],
  ["major", "major"],
  ["critical", "critical"],
  ["maintenance", "maintenance"],
])
const stages = ["investigating", "identified", "monitoring", "resolved", "postmortem"] as const
const impacts = ["none", "minor", "major", "critical", "maintenance"] as const

/** GitHub lists a sentence among its components. */
const PLACEHOLDER = /^visit \S+ for more information/i

const incident = (one: typeof WireIncident.Type): Incident => ({
  id: cleanText(one.id, 80),
  name: cleanText(one.name, INCIDENT_NAME_MAX_CHARACTERS) || "Unnamed incident",
  stage: stages.find((stage) => stage === one.status) ?? null,
  impact: impacts.find((impact) => impact === one.impact) ?? null,
  startedAt: instantOrNull(isoMs(one.started_at ?? one.created_at)),
  updatedAt: instantOrNull(isoMs(one.updated_at)),
  components: (one.components ?? [])
    .map(({ name }) => cleanText(name, COMPONENT_NAME_MAX_CHARACTERS))
    .filter((name) => name !== ""),
  url: httpUrl(one.shortlink),
})

/** The status of a page that reports `none` although components are affected: that of the worst component. */
const worstOf = (affected: ReadonlyArray<typeof Component.Type>): ServiceFacts["status"] => {
  if (affected.some(({ status }) => status === "major_outage")) return "major"
  if (affected.some(({ status }) => status !== "under_maintenance")) return "minor"
  return affected.length > 0 ? "maintenance" : "operational"
}

export default listSource({
  name: "statuspage",
  provider: ({ service }) => `Statuspage.${service}`,
  fills: serviceStatus,
  every: "1 minute",
  documents: { summary, incidents },
  collect: (upstream, { parameters }) => collect(upstream, parameters),
  rows: ({ page, incidents }, { parameters }) =>
    isAskedPage(page, parameters)
      ? (incidents ?? [])
      : new UpstreamError({ message: "the page is of another service" }),
  row: WireIncident,
  toItem: incident,
  facts: ({ status, components, incidents }) => {
    const indicator = statuses.get(status.indicator.toLowerCase())
    if (indicator === undefined) return new UpstreamError({ message: "the page uses a status that is not known" })
    const parts = (components ?? []).filter(({ group, name }) => group !== true && !PLACEHOLDER.test(name))
    const affected = parts.filter((part) => part.status !== "operational")
    return {
      status: indicator === "operational" ? worstOf(affected) : indicator,
      description: cleanText(status.description ?? "", DESCRIPTION_MAX_CHARACTERS) || indicator,
      components: { count: parts.length, affected: affected.length },
      incidentsKnown: incidents != null,
    }
  },
  contentAtMs: ({ page }) => isoMs(page.updated_at),
  recordedParameters: recordedService,
  attribution: {
    provider: "The services' own status pages (Atlassian Statuspage and compatible)",
    licence: "Public status pages",
    url: "https://www.atlassian.com/software/statuspage",
  },
  terms: termsOf({ use: "provider", url: "https://www.atlassian.com/software/statuspage" }),
})
