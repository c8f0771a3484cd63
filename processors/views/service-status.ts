import type { Parameters } from "../../schemas/feed.ts"
import {
  type Incident,
  type ServiceRow,
  type ServiceStatus,
  serviceIdOf,
  serviceStatus,
  serviceStatusEndpoint,
  services,
} from "../../schemas/feeds/service-status.ts"
import { changesOf, fromEvery, type InstanceReading, view } from "../view/view.ts"

/** The latest reading of each status page, where there is one. */
type Pages = ReadonlyArray<InstanceReading<ServiceStatus>>

const incidentRow = (incident: Incident) => ({
  id: incident.id,
  name: incident.name,
  stage: incident.stage,
  impact: incident.impact,
  started_at: incident.startedAt,
  updated_at: incident.updatedAt,
  components: incident.components,
  url: incident.url,
})

const serviceRow = (instance: Parameters, page: ServiceStatus | null): ServiceRow => {
  const service = serviceIdOf(instance)
  return {
    name: service === undefined ? "unknown" : services[service],
    status: page?.facts.status ?? null,
    description: page?.facts.description ?? null,
    incident_count: page?.facts.incidentsKnown === true ? page.items.length : null,
    components_affected: page?.facts.components.affected ?? null,
    component_count: page?.facts.components.count ?? null,
    incidents: page?.facts.incidentsKnown === true ? page.items.map(incidentRow) : null,
  }
}

/** Services as replies state them: `status` is null while a page has never been read. */
export const serviceRows = (pages: Pages): ReadonlyArray<ServiceRow> =>
  pages.map(({ parameters, reading }) => serviceRow(parameters, reading?.payload ?? null))

export default view({
  endpoint: serviceStatusEndpoint,
  reads: { pages: fromEvery(serviceStatus) },
  changes: [changesOf(serviceStatus, incidentRow)],
  build: ({ pages }) => serviceRows(pages),
})
