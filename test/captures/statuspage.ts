import * as Schema from "effect/Schema"
import { recordedDocuments } from "../../ingestors/captures.ts"
import { maybe } from "../../ingestors/readers/wire.ts"
import statuspage, { Component, documentOf, Page, Status, WireIncident } from "../../ingestors/sources/statuspage.ts"

const status = documentOf("status", Schema.Struct({ page: Page, status: Status }))
const components = documentOf("components", Schema.Struct({ page: maybe(Page), components: Schema.Array(Component) }))
const maintenances = documentOf(
  "scheduled-maintenances/upcoming",
  Schema.Struct({ page: maybe(Page), scheduled_maintenances: Schema.Array(WireIncident) }),
)

export default recordedDocuments(statuspage, { status, components, maintenances })
