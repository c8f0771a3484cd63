import * as Result from "effect/Result"
import type { DocumentEndpoint } from "../../schemas/contract/endpoint-kinds.ts"
import { twinPath } from "../../schemas/contract/pages.ts"
import { agentPaymentsEndpoint } from "../../schemas/endpoints/agent-payments.ts"
import { apiCatalogEndpoint } from "../../schemas/endpoints/api-catalog.ts"
import { asyncApiEndpoint } from "../../schemas/endpoints/asyncapi.ts"
import { catalogEndpoint } from "../../schemas/endpoints/catalog.ts"
import { changelogEndpoint, changelogJson } from "../../schemas/endpoints/changelog.ts"
import { dcatEndpoint } from "../../schemas/endpoints/dcat.ts"
import { healthEndpoint } from "../../schemas/endpoints/health.ts"
import { jwksEndpoint } from "../../schemas/endpoints/jwks.ts"
import { llmToolsEndpoint } from "../../schemas/endpoints/llm-tools.ts"
import { llmsEndpoint, llmsFullEndpoint } from "../../schemas/endpoints/llms.ts"
import { metaProEndpoint } from "../../schemas/endpoints/meta-pro.ts"
import { openApiEndpoint } from "../../schemas/endpoints/openapi.ts"
import { skillEndpoint } from "../../schemas/endpoints/skill.ts"
import { document } from "../routes/document.ts"

/** The identifier of the profile of an API catalogue. */
const PROFILE = "https://www.rfc-editor.org/info/rfc9727"

/** The links of this API. Where its public address is not known they are relative to the address of the request. */
export default document({
  endpoint: apiCatalogEndpoint,
  profile: PROFILE,
  links: (address) =>
    `<${address}${apiCatalogEndpoint.path}>; rel="api-catalog"; type="application/linkset+json"; profile="${PROFILE}"`,
  make:
    ({ options }) =>
    () => {
      const address = options.baseUrl ?? ""
      const to = ({ path, mediaTypes: [type], summary }: DocumentEndpoint) => ({
        href: `${address}${path}`,
        type,
        title: summary,
      })
      const twin = (page: DocumentEndpoint) => ({ href: `${address}${twinPath(page)}`, type: "text/markdown" })
      return Result.succeed({
        linkset: [
          {
            anchor: `${address}${apiCatalogEndpoint.path}`,
            item: [{ href: `${address}${catalogEndpoint.path}`, title: "Tidewire" }],
          },
          {
            anchor: `${address}${catalogEndpoint.path}`,
            "service-desc": [to(openApiEndpoint), to(asyncApiEndpoint), to(llmToolsEndpoint)],
            "service-doc": [
              to(llmsEndpoint),
              to(llmsFullEndpoint),
              to(skillEndpoint),
              to(agentPaymentsEndpoint),
              twin(agentPaymentsEndpoint),
              to(changelogEndpoint),
              twin(changelogEndpoint),
            ],
            "service-meta": [to(metaProEndpoint), to(changelogJson), to(dcatEndpoint), to(jwksEndpoint)],
            status: [to(healthEndpoint)],
          },
        ],
      })
    },
})
