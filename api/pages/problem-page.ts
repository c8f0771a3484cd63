import type { Problem } from "../../schemas/contract/reply.ts"
import type { ProblemPage } from "../http/answer.ts"
import type { ApiOptions } from "../routes/route.ts"
import { instantText } from "./assets/world-view.js"
import { assets } from "./assets.ts"
import { type Html, html } from "./html.ts"
import { makeNotFoundHelp } from "./not-found.ts"
import { FORM_POLICY } from "./past.ts"
import { notesOf, pageHtml } from "./shell.ts"

/** Where a page of the past that cannot be shown leads instead: to instants that can, and to the present. */
const otherInstants = ({ first, watermark, allowed = [] }: Partial<Problem>): Html => {
  const instants: ReadonlyArray<string> = [first, watermark, ...allowed].flatMap((one) => one ?? [])
  return html`<ul>${instants.map((one) => html`<li><a href="?at=${one}">At ${instantText(one)}</a></li>\n`)}<li><a href="?">The present</a></li></ul>`
}

const NOT_FOUND = "not_found"

/** Makes the function that shows a problem as a page. */
export const makeProblemPage = (options: ApiOptions): ProblemPage => {
  const notFoundHelp = makeNotFoundHelp({ options })
  return ({ title, message, status, error, ...rest }, path) => ({
    contentPolicy: assets().policyOf(FORM_POLICY),
    html: pageHtml({
      title,
      description: message,
      path: null,
      notes: notesOf(options),
      main:
        error === NOT_FOUND
          ? html`<p>There is nothing at this address.</p>
${notFoundHelp(path)}`
          : html`<p>${message}</p>
${rest.parameter === "at" && otherInstants(rest)}
<p class="soft">Status ${status}.</p>`,
    }),
  })
}
