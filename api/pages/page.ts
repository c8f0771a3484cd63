import { type Html, html, type Insert } from "./html.ts"

/** A link of a list, with a note. */
export interface PageLink {
  readonly title: string
  readonly href: string
  readonly note: string
}

/** One element of a page. */
export type Piece =
  | { readonly heading: string }
  | { readonly quote: string }
  | { readonly links: ReadonlyArray<PageLink> }
  | { readonly example: string }
  | { readonly text: string }
  | { readonly list: ReadonlyArray<string> }
  | { readonly command: string }
  /** What browser modules work in: it is part of the HTML alone. */
  | { readonly part: Html }
  | { readonly code: string; readonly lang: string }
  | { readonly table: { readonly head: ReadonlyArray<string>; readonly rows: ReadonlyArray<ReadonlyArray<string>> } }

/** The table of an element. */
export type Table = Extract<Piece, { readonly table: unknown }>["table"]

const row = (cells: ReadonlyArray<Insert>, cell: (content: Insert) => Html): Html => html`<tr>${cells.map(cell)}</tr>
`

/** A table that scrolls by itself on narrow screens, and can be focused so that the keyboard scrolls it. */
export const htmlTableOf = (head: ReadonlyArray<Insert>, rows: ReadonlyArray<ReadonlyArray<Insert>>): Html =>
  html`<div class="scroll" tabindex="0"><table>
<thead>${row(head, (content) => html`<th scope="col">${content}</th>`)}</thead>
<tbody>${rows.map((cells) => row(cells, (content) => html`<td>${content}</td>`))}</tbody>
</table></div>`

/** A table of texts. */
export const htmlTable = ({ head, rows }: Table): Html => htmlTableOf(head, rows)

/** The text of a cell: a bar would end it, and so would a line break. */
const markdownCell = (text: string): string => text.replace(/\s+/g, " ").replaceAll("|", "\\|")

const markdownTable = ({ head, rows }: Table): string =>
  [head, head.map(() => "---"), ...rows].map((cells) => `| ${cells.map(markdownCell).join(" | ")} |`).join("\n")

/** The HTML of one element. */
const htmlPiece = (piece: Piece): Html => {
  if ("heading" in piece) return html`<h2>${piece.heading}</h2>`
  if ("text" in piece) return html`<p>${piece.text}</p>`
  if ("quote" in piece) return html`<blockquote>${piece.quote}</blockquote>`
  if ("links" in piece)
    return html`<ul>${piece.links.map(({ title, href, note }) => html`<li><a href="${href}">${title}</a>: ${note}</li>\n`)}</ul>`
  if ("command" in piece) return html`<pre tabindex="0"><code>${piece.command}</code></pre>`
  if ("code" in piece) return html`<pre tabindex="0" data-copy><code>${piece.code}</code></pre>`
  if ("example" in piece) return html`<pre tabindex="0"><code>${piece.example}</code></pre>`
  if ("table" in piece) return htmlTable(piece.table)
  if ("part" in piece) return piece.part
  return html`<ul>${piece.list.map((item) => html`<li>${item}</li>\n`)}</ul>`
}

/** The content of a page as HTML. */
export const htmlOf = (pieces: ReadonlyArray<Piece>): Html =>
  html`${pieces.map((piece) => html`${htmlPiece(piece)}\n`)}`

/** The Markdown of one element; none of a part that is HTML alone. */
const markdownPiece = (piece: Piece): ReadonlyArray<string> | string => {
  if ("part" in piece) return []
  if ("heading" in piece) return `## ${piece.heading}`
  if ("text" in piece) return piece.text
  if ("quote" in piece) return `> ${piece.quote}`
  if ("links" in piece) return piece.links.map(({ title, href, note }) => `- [${title}](${href}): ${note}`).join("\n")
  if ("example" in piece) return `\`\`\`json\n${piece.example}\n\`\`\``
  if ("table" in piece) return markdownTable(piece.table)
  if ("code" in piece) return `\`\`\`${piece.lang}\n${piece.code}\n\`\`\``
  if ("command" in piece) return `\`\`\`sh\n${piece.command}\n\`\`\``
  return piece.list.map((item) => `- ${item}`).join("\n")
}

/** The content of a page as Markdown. */
export const markdownPieces = (pieces: ReadonlyArray<Piece>): string =>
  `${pieces.flatMap(markdownPiece).join("\n\n")}\n`

/** A page as Markdown. */
export const markdownOf = (title: string, pieces: ReadonlyArray<Piece>): string =>
  `# ${title}\n\n${markdownPieces(pieces)}`

/** A part of a page: its heading, the pieces of its Markdown, and its HTML. */
export interface Section {
  readonly id: string
  readonly heading: string
  readonly pieces: ReadonlyArray<Piece>
  readonly html: Html
}

/** Declares a section. Its HTML is that of its pieces unless given. */
export const section = (
  id: string,
  heading: string,
  pieces: ReadonlyArray<Piece>,
  content: Html = htmlOf(pieces),
): Section => ({ id, heading, pieces, html: content })

/** The HTML of a section under its heading. */
export const sectionHtml = ({ id, heading, html: content }: Section): Html =>
  html`<section id="${id}" aria-labelledby="${id}-heading"><h2 id="${id}-heading">${heading}</h2>
${content}
</section>
`
