import {
  type Provenance,
  type TableFacts,
  type Terms,
  type TermsQuestion,
  termsQuestions,
} from "../../../schemas/contract/provenance.ts"
import { type Html, html } from "../html.ts"
import { htmlTable, type Section, section, type Table } from "../page.ts"

const useTexts: Readonly<Record<Terms["use"], string>> = {
  open: "Open data",
  provider: "A public interface on its own terms",
  restricted: "Personal or non-commercial use",
  consent: "With the provider's consent alone",
}

/** The answer to a question: a word, or for how long the data may be kept. */
const answerText = ({ answer }: Terms[TermsQuestion]): string =>
  typeof answer === "number" ? `${answer} hours` : answer

const readText = (readOn: string | null): string => (readOn === null ? "not read at the provider" : `read on ${readOn}`)

/** The clauses of all answers, each once, with the day on which it was read. */
const clausesText = (terms: Terms): string => {
  const clauses = termsQuestions.flatMap((question) => {
    const { clause, readOn } = terms[question]
    return clause === null ? [] : [`${clause} (${readText(readOn)})`]
  })
  return clauses.length === 0 ? "No clause was read" : [...new Set(clauses)].join("; ")
}

const useText = ({ use }: Terms): string => useTexts[use]

/** An address as a link; as text where it is none of the web. */
const linked = (url: string, text: string): Html =>
  /^https?:\/\//.test(url) ? html`<a href="${url}" rel="noreferrer">${text}</a>` : html`${text}`

/** The provider, and the line that its terms require. */
const providerText = (provider: string, { credit }: Terms): string =>
  credit === null ? provider : `${provider}: ${credit}`

/** The upstreams with their licences and terms. */
export const sourcesSection = ({ upstreams }: Provenance): Section => {
  if (upstreams.length === 0)
    return section("sources", "Sources", [{ text: "Facts of this service itself: there is no upstream." }])
  const head = ["Provider", "Licence", "Terms", "Shown", "Kept", "Sold", "To models", "Clause"]
  return section(
    "sources",
    "Sources",
    [
      {
        table: {
          head: [...head, "Address"],
          rows: upstreams.map(({ terms, ...one }) => [
            providerText(one.provider, terms),
            one.licence,
            `${useText(terms)}: ${terms.url}`,
            ...termsQuestions.map((question) => answerText(terms[question])),
            clausesText(terms),
            one.url,
          ]),
        },
      },
    ],
    html`<div class="scroll" tabindex="0"><table>
<thead><tr>${head.map((text) => html`<th scope="col">${text}</th>`)}</tr></thead>
<tbody>${upstreams.map(
      ({ terms, ...one }) =>
        html`<tr><td>${linked(one.url, providerText(one.provider, terms))}</td><td>${one.licence}</td><td>${linked(terms.url, useText(terms))}</td>${termsQuestions.map(
          (question) => html`<td>${answerText(terms[question])}</td>`,
        )}<td>${clausesText(terms)}</td></tr>\n`,
    )}</tbody></table></div>`,
  )
}

/** What stands where this installation keeps no history. */
export const NO_HISTORY = "This installation keeps no history: only the present is known here."

const columnTable = ({ columns }: TableFacts): Table => ({
  head: ["Column", "Type", "Meaning"],
  rows: columns.map(({ name, type, comment }) => [name, type, comment]),
})

/** The tables that hold the past of the data. */
export const historySection = ({ tables }: Provenance, keepsHistory = true): Section => {
  if (!keepsHistory) return section("history", "History", [{ text: NO_HISTORY }])
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
