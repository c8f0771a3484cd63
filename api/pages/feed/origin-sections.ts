import type { Provenance, TableFacts, Upstream } from "../../../schemas/contract/provenance.ts"
import { type Html, html } from "../html.ts"
import { htmlTable, type Table } from "../page.ts"
import { type Section, section } from "./section.ts"

const useTexts: Readonly<Record<Upstream["use"], string>> = {
  open: "Open data",
  provider: "A public interface on its own terms",
  restricted: "Personal or non-commercial use",
}

const resaleTexts: Readonly<Record<Upstream["resale"], string>> = {
  allowed: "may be resold",
  not_allowed: "may not be resold",
  unknown: "resale not stated",
}

const termsText = ({ use, resale }: Upstream): string => `${useTexts[use]}, ${resaleTexts[resale]}`

/** An address as a link; as text where it is none of the web. */
const linked = (url: string, text: string): Html =>
  /^https?:\/\//.test(url) ? html`<a href="${url}" rel="noreferrer">${text}</a>` : html`${text}`

/** The upstreams with their licences and terms. */
export const sourcesSection = ({ upstreams }: Provenance): Section => {
  if (upstreams.length === 0)
    return section("sources", "Sources", [{ text: "Facts of this service itself: there is no upstream." }])
  const head = ["Provider", "Licence", "Terms"]
  return section(
    "sources",
    "Sources",
    [
      {
        table: {
          head: [...head, "Address"],
          rows: upstreams.map((one) => [one.provider, one.licence, `${termsText(one)}: ${one.termsUrl}`, one.url]),
        },
      },
    ],
    html`<div class="scroll" tabindex="0"><table>
<thead><tr>${head.map((text) => html`<th scope="col">${text}</th>`)}</tr></thead>
<tbody>${upstreams.map(
      (one) =>
        html`<tr><td>${linked(one.url, one.provider)}</td><td>${one.licence}</td><td>${linked(one.termsUrl, termsText(one))}</td></tr>\n`,
    )}</tbody></table></div>`,
  )
}

const columnTable = ({ columns }: TableFacts): Table => ({
  head: ["Column", "Type", "Meaning"],
  rows: columns.map(({ name, type, comment }) => [name, type, comment]),
})

/** The tables that hold the past of the data. */
export const historySection = ({ tables }: Provenance): Section => {
  if (tables.length === 0) return section("history", "History", [{ text: "No table holds the past of this data." }])
  const heading = tables.length === 1 ? "History: one table" : `History: ${tables.length} tables`
  return section(
    "history",
    heading,
    tables.flatMap((table) => [{ text: `${table.name}: ${table.comment}.` }, { table: columnTable(table) }]),
    html`<div class="stack">${tables.map(
      (
        table,
      ) => html`<details${tables.length === 1 && html` open`}><summary><code>${table.name}</code> ${table.comment}</summary>
${htmlTable(columnTable(table))}</details>
`,
    )}</div>`,
  )
}
