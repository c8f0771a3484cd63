import type { TableFacts } from "../../../schemas/contract/provenance.ts"
import { html } from "../html.ts"
import { htmlTable, markdownPieces, type Piece, type Table } from "../page.ts"
import { sitePage } from "../site-page.ts"
import { TABLES_PATH } from "./docs.ts"

const LEAD = [
  "Every table and view of the history. Of what changes, a table has a row for each revision, and its view <table>_now one row",
  "for each thing, as it is known now; <table>_held says from when until when a value was observed. Names and types change only with 90 days of notice in the changelog; new ones may come.",
].join(" ")
const RULES = [
  "An endpoint goes by its path in endpoint, a feed by its name in feed; feed_endpoints joins the two.",
  "The address of a page is url. A column of percent ends in _percent, and a probability is between 0 and 1.",
  "Instants are in UTC. What is unknown is NULL in a column of numbers, and empty in one of texts.",
]
const NONE = "This installation keeps no history."

const columnsOf = ({ columns }: TableFacts): Table => ({
  head: ["Column", "Type", "Meaning"],
  rows: columns.map(({ name, type, comment }) => [name, type, comment]),
})

const tableHtml = (table: TableFacts) => html`<section id="${table.name}"><h2><code>${table.name}</code></h2>
<p>${table.comment}.</p>
<details><summary>${table.columns.length} columns</summary>
${htmlTable(columnsOf(table))}</details>
<details><summary>${table.query.title}</summary>
<pre tabindex="0" data-copy><code>${table.query.sql}</code></pre></details></section>
`

const tablePieces = (table: TableFacts): ReadonlyArray<Piece> => [
  { heading: table.name },
  { text: `${table.comment}.` },
  { table: columnsOf(table) },
  { text: `${table.query.title}:` },
  { code: table.query.sql, lang: "sql" },
]

/** The dictionary of the history, made of the comments of its tables and columns. It loads no script. */
export default sitePage({
  path: TABLES_PATH,
  name: "page_tables",
  keptMs: 60_000,
  make: ({ options: { tables = () => [], keepsHistory = true } }) => {
    let read: ReadonlyArray<TableFacts> | null = null
    const all = () => {
      read ??= keepsHistory ? tables() : []
      return read
    }
    return () => ({
      title: "Tables",
      description: "Every table, view and column of the history in SQL, with its unit and a query that runs.",
      width: "wide",
      html: () =>
        all().length === 0
          ? html`<p class="lead">${NONE}</p>`
          : html`<p class="lead">${LEAD}</p>
<ul>${RULES.map((rule) => html`<li>${rule}</li>`)}</ul>
<p>${all().map(({ name }) => html`<a href="#${name}"><code>${name}</code></a> `)}</p>
${all().map(tableHtml)}`,
      markdown: () =>
        markdownPieces(
          all().length === 0 ? [{ text: NONE }] : [{ text: LEAD }, { list: RULES }, ...all().flatMap(tablePieces)],
        ),
    })
  },
})
