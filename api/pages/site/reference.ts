import { llmsFullEndpoint } from "../../../schemas/endpoints/llms.ts"
import { openApiEndpoint } from "../../../schemas/endpoints/openapi.ts"
import { html } from "../html.ts"
import { sitePage } from "../site-page.ts"
import { REFERENCE_PATH } from "./docs.ts"

/**
 * The reference, drawn by redoc from the contract's OpenAPI document. Redoc writes its styles and a font of icons into the page
 * and searches in a worker, which this page alone allows. Telemetry is off, and the policy would not let it out.
 */
export default sitePage({
  path: REFERENCE_PATH,
  name: "page_reference",
  keptMs: 60_000,
  policy: { "style-src": "'self' 'unsafe-inline'", "font-src": "data:", "worker-src": "blob:" },
  make: () => () => ({
    title: "Reference",
    description: "Every endpoint with its parameters, fields, examples and code.",
    html: () => html`<p class="soft">Drawn from <a href="${openApiEndpoint.path}">${openApiEndpoint.path}</a>. The same as one text, also without scripts: <a href="${llmsFullEndpoint.path}">${llmsFullEndpoint.path}</a>.</p>
<div class="reference"><redoc spec-url="${openApiEndpoint.path}" disable-telemetry="true"></redoc></div>`,
    markdown: () =>
      `The contract for programs: [${openApiEndpoint.path}](${openApiEndpoint.path}). Every endpoint as Markdown: [${llmsFullEndpoint.path}](${llmsFullEndpoint.path}).\n`,
    modules: ["redoc"],
    width: "wide" as const,
  }),
})
