import type { ProblemPage } from "../http/answer.ts"
import { assets } from "./assets.ts"
import { html } from "./html.ts"
import { isSimulated, pageHtml } from "./shell.ts"

/** Makes what shows a problem as a page: what it is, and where to go on. */
export const makeProblemPage =
  (options: Parameters<typeof isSimulated>[0]): ProblemPage =>
  ({ title, message, status, did_you_mean: meant }) => ({
    contentPolicy: assets().policyOf(),
    html: pageHtml({
      title,
      description: message,
      path: null,
      simulated: isSimulated(options),
      main: html`<p>${message}</p>
${meant === undefined ? null : html`<p>Did you mean <a href="${meant}">${meant}</a>?</p>`}
<p class="soft">Status ${status}.</p>`,
    }),
  })
