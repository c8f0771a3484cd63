import { blocksHtml, blocksOf } from "./guide/markdown.ts"
import { type Html, html, withCode } from "./html.ts"
import { htmlTableOf } from "./html-table.ts"

/** A link of a list, with a note. */
export interface PageLink {
  readonly title: string
  readonly href: string
  readonly note: string
}

/** One element of a page. In its texts backticks mark code; they are the service's own, never those of an upstream. */
export type Piece =
  | { readonly heading: string }
  | { readonly quote: string }
  | { readonly links: ReadonlyArray<PageLink> }
  | { readonly example: string }
  | { readonly text: string }
  | { readonly list: ReadonlyArray<string> }
  | { readonly command: string }
  /** Text in the Markdown of guides. */
  | { readonly marked: string }
  /** What browser modules work in: it is part of the HTML alone. */
  | { readonly part: Html }
  | { readonly code: string; readonly lang: string }
  | {
      readonly table: {
        readonly head: ReadonlyArray<string>
        readonly rows: ReadonlyArray<ReadonlyArray<string>>
        /** On a small screen a row is a block: its first cell, those between in one line, its last cell. */
        readonly isStacked?: boolean
      }
    }

/** The table of an element. */
export type Table = Extract<Piece, { readonly table: unknown }>["table"]

/** A table of the service's own texts, in which backticks mark code. */
export const htmlTable = ({ head, rows, isStacked = false }: Table): Html => {
  const table = htmlTableOf(
    head.map(withCode),
    rows.map((cells) => cells.map(withCode)),
  )
  return isStacked ? html`<div class="stack">${table}</div>` : table
}

/** The text of a cell: a bar would end it, and so would a line break. */
const markdownCell = (text: string): string => text.replace(/\s+/g, " ").replaceAll("|", "\\|")

const markdownTable = ({ head, rows }: Table): string =>
  [head, head.map(() => "---"), ...rows].map((cells) => `| ${cells.map(markdownCell).join(" | ")} |`).join("\n")

/** The HTML of one element. */
const htmlPiece = (piece: Piece): Html => {
  if ("heading" in piece) return html`<h2>${withCode(piece.heading)}</h2>`
  if ("text" in piece) return html`<p>${withCode(piece.text)}</p>`
  if ("quote" in piece) return html`<blockquote>${withCode(piece.quote)}</blockquote>`
  if ("links" in piece)
    return html`<ul>${piece.links.map(({ title, href, note }) => html`<li><a href="${href}">${title}</a>: ${withCode(note)}</li>\n`)}</ul>`
  if ("command" in piece) return html`<pre tabindex="0"><code>${piece.command}</code></pre>`
  if ("code" in piece) return html`<pre tabindex="0" data-copy><code>${piece.code}</code></pre>`
  if ("example" in piece) return html`<pre tabindex="0"><code>${piece.example}</code></pre>`
  if ("table" in piece) return htmlTable(piece.table)
  if ("part" in piece) return piece.part
  if ("marked" in piece) return blocksHtml(blocksOf(piece.marked))
  return html`<ul>${piece.list.map((item) => html`<li>${withCode(item)}</li>\n`)}</ul>`
}

/** The content of a page as HTML. */
export const htmlOf = (pieces: ReadonlyArray<Piece>): Html =>
  html`${pieces.map((piece) => html`${htmlPiece(piece)}\n`)}`

/** The Markdown of one element; none of a part that is HTML alone. */
const markdownPiece = (piece: Piece): ReadonlyArray<string> | string => {
  if ("part" in piece) return []
  if ("heading" in piece) return `## ${piece.heading}`
  if ("text" in piece) return piece.text
  if ("marked" in piece) return piece.marked
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
