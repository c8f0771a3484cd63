import {
  serviceInstances,
  serviceRow,
  serviceStatus,
  serviceStatusEndpoint,
} from "../../schemas/feeds/service-status.ts"
import { fromEvery, view } from "../view.ts"

export default view({
  endpoint: serviceStatusEndpoint,
  reads: { pages: fromEvery(serviceStatus, serviceInstances) },
  build: ({ pages }) => pages.map(({ parameters, reading }) => serviceRow(parameters, reading?.payload ?? null)),
})
