import type { Parameters } from "../../schemas/feed.ts"
import {
  type ServiceRow,
  type ServiceStatus,
  serviceIdOf,
  serviceStatus,
  serviceStatusEndpoint,
  services,
} from "../../schemas/feeds/service-status.ts"
import { fromEvery, type InstanceReading, view } from "../view/view.ts"

/** The latest reading of each status page, where there is one. */
type Pages = ReadonlyArray<InstanceReading<ServiceStatus>>

const serviceRow = (instance: Parameters, page: ServiceStatus | null): ServiceRow => {
  const service = serviceIdOf(instance)
  return {
    name: service === undefined ? "unknown" : services[service],
    status: page?.facts.status ?? null,
    description: page?.facts.description ?? null,
    incident_count: page?.facts.incidentsKnown === true ? page.items.length : null,
    components_affected: page?.facts.components.affected ?? null,
    component_count: page?.facts.components.count ?? null,
  }
}

/** Services as replies state them: `status` is null while a page has never been read. */
export const serviceRows = (pages: Pages): ReadonlyArray<ServiceRow> =>
  pages.map(({ parameters, reading }) => serviceRow(parameters, reading?.payload ?? null))

export default view({
  endpoint: serviceStatusEndpoint,
  reads: { pages: fromEvery(serviceStatus) },
  build: ({ pages }) => serviceRows(pages),
})
