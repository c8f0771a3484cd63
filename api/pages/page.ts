import { createHash } from "node:crypto"
import { escapeUTF8 } from "entities"
import { iconEndpoint } from "../../schemas/endpoints/icon.ts"

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
  | { readonly table: { readonly head: ReadonlyArray<string>; readonly rows: ReadonlyArray<ReadonlyArray<string>> } }

const STYLE = `
:root { color-scheme: light dark; --text: #1c2733; --soft: #51606f; --back: #ffffff; --field: #f2f5f8; --line: #d9e0e7; --mark: #0b6e83 }
@media (prefers-color-scheme: dark) {
  :root { --text: #dfe7ee; --soft: #9fb0bf; --back: #10171e; --field: #1a242e; --line: #2c3945; --mark: #5cc3d8 }
}
* { box-sizing: border-box }
body { margin: 0; background: var(--back); color: var(--text); font: 1rem/1.6 system-ui, sans-serif; overflow-wrap: anywhere }
main { max-width: 46rem; margin: 0 auto; padding: 2.5rem 1.25rem 4rem }
h1 { margin: 0 0 1rem; font-size: 2rem; line-height: 1.2 }
h2 { margin: 2.5rem 0 0.75rem; padding-top: 1.25rem; border-top: 1px solid var(--line); font-size: 1.25rem; line-height: 1.3 }
h1 + p { color: var(--soft); font-size: 1.1rem }
p, ul { margin: 0 0 1rem }
ul { padding-left: 1.25rem }
li { margin: 0.25rem 0 }
li::marker { color: var(--mark) }
pre { margin: 0 0 1rem; padding: 0.875rem 1rem; background: var(--field); border: 1px solid var(--line); border-left: 3px solid var(--mark); border-radius: 4px; white-space: pre-wrap }
table { display: block; overflow-x: auto; margin: 0 0 1rem; border-collapse: collapse; font-size: 0.875rem }
th, td { padding: 0.25rem 0.75rem 0.25rem 0; border-bottom: 1px solid var(--line); text-align: left; white-space: nowrap }
code { font: 0.875rem/1.55 ui-monospace, monospace }
`

/** The CSP source of a page's style, which allows no other. */
export const STYLE_SOURCE = `'sha256-${createHash("sha256").update(STYLE).digest("base64")}'`

type Table = Extract<Piece, { readonly table: unknown }>["table"]

const htmlTable = ({ head, rows }: Table): string => {
  const row = (cells: ReadonlyArray<string>, tag: "th" | "td") =>
    `<tr>${cells.map((cell) => `<${tag}>${escapeUTF8(cell)}</${tag}>`).join("")}</tr>`
  return `<table>\n${[row(head, "th"), ...rows.map((cells) => row(cells, "td"))].join("\n")}\n</table>`
}

/** The text of a cell: a bar would end it, and so would a line break. */
const markdownCell = (text: string): string => text.replace(/\s+/g, " ").replaceAll("|", "\\|")

const markdownTable = ({ head, rows }: Table): string =>
  [head, head.map(() => "---"), ...rows].map((cells) => `| ${cells.map(markdownCell).join(" | ")} |`).join("\n")

const htmlLink = ({ title, href, note }: PageLink): string =>
  `<li><a href="${escapeUTF8(href)}">${escapeUTF8(title)}</a>: ${escapeUTF8(note)}</li>`

/** A page as HTML, with an inline style, without scripts and external resources. */
export const htmlOf = (title: string, pieces: ReadonlyArray<Piece>): string => {
  const body = pieces.map((piece) => {
    if ("heading" in piece) return `<h2>${escapeUTF8(piece.heading)}</h2>`
    if ("text" in piece) return `<p>${escapeUTF8(piece.text)}</p>`
    if ("quote" in piece) return `<blockquote>${escapeUTF8(piece.quote)}</blockquote>`
    if ("links" in piece) return `<ul>\n${piece.links.map(htmlLink).join("\n")}\n</ul>`
    if ("command" in piece) return `<pre><code>${escapeUTF8(piece.command)}</code></pre>`
    if ("example" in piece) return `<pre><code>${escapeUTF8(piece.example)}</code></pre>`
    if ("table" in piece) return htmlTable(piece.table)
    return `<ul>\n${piece.list.map((item) => `<li>${escapeUTF8(item)}</li>`).join("\n")}\n</ul>`
  })
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<link rel="icon" href="${iconEndpoint.path}" type="image/svg+xml">
<title>${title} - Tidewire</title>
<style>${STYLE}</style>
</head>
<body>
<main>
<h1>${title}</h1>
${body.join("\n")}
</main>
</body>
</html>
`
}

/** A page as Markdown. */
export const markdownOf = (title: string, pieces: ReadonlyArray<Piece>): string =>
  `${[
    `# ${title}`,
    ...pieces.map((piece) => {
      if ("heading" in piece) return `## ${piece.heading}`
      if ("text" in piece) return piece.text
      if ("quote" in piece) return `> ${piece.quote}`
      if ("links" in piece)
        return piece.links.map(({ title, href, note }) => `- [${title}](${href}): ${note}`).join("\n")
      if ("example" in piece) return `\`\`\`json\n${piece.example}\n\`\`\``
      if ("table" in piece) return markdownTable(piece.table)
      if ("command" in piece) return `\`\`\`sh\n${piece.command}\n\`\`\``
      return piece.list.map((item) => `- ${item}`).join("\n")
    }),
  ].join("\n\n")}\n`
