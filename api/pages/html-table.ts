import { instantText } from "./assets/world-view.js"
import { type Html, html, type Insert, markdownText } from "./html.ts"

const row = (cells: ReadonlyArray<Insert>, cell: (content: Insert) => Html): Html => html`<tr>${cells.map(cell)}</tr>
`

/** A table that scrolls by itself on narrow screens, and can be focused so that the keyboard scrolls it. */
export const htmlTableOf = (head: ReadonlyArray<Insert>, rows: ReadonlyArray<ReadonlyArray<Insert>>): Html =>
  html`<div class="scroll" tabindex="0"><table>
<thead>${row(head, (content) => html`<th scope="col">${content}</th>`)}</thead>
<tbody>${rows.map((cells) => row(cells, (content) => html`<td>${content}</td>`))}</tbody>
</table></div>`

const INSTANT = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z$/

/** An instant, which shows the time of the reader's clock under the pointer (assets/age.js). */
const timeHtml = (instant: string): Html => html`<time datetime="${instant}">${instantText(instant)}</time>`

/** Texts of several words that are longer than this get a least width: on a narrow screen they would be wrapped at each word. */
const SENTENCE_CHARACTERS = 24

const cellHtml = (cell: string): Insert => {
  if (INSTANT.test(cell)) return timeHtml(cell)
  return cell.length > SENTENCE_CHARACTERS && cell.includes(" ") ? html`<div class="sentence">${cell}</div>` : cell
}

/** Texts of data in rows, among them ISO instants. */
interface DataRows {
  readonly head: ReadonlyArray<string>
  readonly rows: ReadonlyArray<ReadonlyArray<string>>
}

/** A table of data: texts as they are, instants as times. */
export const dataTableHtml = ({ head, rows }: DataRows): Html =>
  htmlTableOf(
    head,
    rows.map((cells) => cells.map(cellHtml)),
  )

/** The same as the texts of a table in Markdown. */
export const dataTable = ({ head, rows }: DataRows): DataRows => ({
  head: head.map(markdownText),
  rows: rows.map((cells) => cells.map((cell) => (INSTANT.test(cell) ? instantText(cell) : markdownText(cell)))),
})
