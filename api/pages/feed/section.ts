import { type Html, html } from "../html.ts"
import { htmlOf, type Piece } from "../page.ts"

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
