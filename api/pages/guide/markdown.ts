import { type Html, html } from "../html.ts"
import { htmlTableOf } from "../html-table.ts"

// The subset of Markdown in which guides are written. Own code, as a library such as marked shows what it does not know as
// text, and returns HTML that has to be sanitised: here anything outside of the subset is an error, and markup is `Html`.

/** One element of a guide. Texts hold inline Markdown: `code`, **strong**, [links](/path). */
export type Block =
  | { readonly kind: "heading"; readonly text: string }
  | { readonly kind: "text"; readonly text: string }
  | { readonly kind: "list"; readonly items: ReadonlyArray<string> }
  | { readonly kind: "code"; readonly info: string; readonly code: string }
  | {
      readonly kind: "table"
      readonly head: ReadonlyArray<string>
      readonly rows: ReadonlyArray<ReadonlyArray<string>>
    }

const FENCE = "```"
const REFUSED = /^(?:#(?!# )|\*(?!\*)|[+>!<]|\d+[.)] |={3,}|-{3,}|\t| {4})/

/** The cells of a row; a bar within a cell is escaped. */
const cellsOf = (line: string): ReadonlyArray<string> =>
  line
    .replace(/^\||\|$/g, "")
    .split(/(?<!\\)\|/)
    .map((cell) => cell.trim().replaceAll("\\|", "|"))

const tableOf = (lines: ReadonlyArray<string>): Block => {
  const [head = "", rule = "", ...rows] = lines
  if (!/^\|(?: *:?-+:? *\|)+$/.test(rule)) throw new Error(`a table without its second line: ${head}`)
  return { kind: "table", head: cellsOf(head), rows: rows.map(cellsOf) }
}

/** The items of a list; indented lines go on with the item before. */
const itemsOf = (lines: ReadonlyArray<string>): ReadonlyArray<string> =>
  lines
    .map((line) => (line.startsWith("- ") ? `\n${line.slice(2)}` : ` ${line.trim()}`))
    .join("")
    .slice(1)
    .split("\n")

const blockOf = (lines: ReadonlyArray<string>): Block => {
  const [first = ""] = lines
  if (first.startsWith("## ") && lines.length === 1) return { kind: "heading", text: first.slice(3) }
  if (first.startsWith("|")) return tableOf(lines)
  if (first.startsWith("- ")) return { kind: "list", items: itemsOf(lines) }
  const refused = lines.find((line) => REFUSED.test(line) || line.startsWith("## "))
  if (refused !== undefined) throw new Error(`Markdown that guides do not have: ${refused}`)
  return { kind: "text", text: lines.join(" ") }
}

/** Reads a guide without its title. Throws at what guides do not have. */
export const blocksOf = (markdown: string): ReadonlyArray<Block> => {
  const blocks: Array<Block> = []
  let open: { readonly info: string; readonly lines: Array<string> } | null = null
  let lines: Array<string> = []
  const close = () => {
    if (lines.length > 0) blocks.push(blockOf(lines))
    lines = []
  }
  for (const line of markdown.split("\n")) {
    if (open !== null) {
      if (line === FENCE) {
        blocks.push({ kind: "code", info: open.info, code: open.lines.join("\n") })
        open = null
      } else open.lines.push(line)
    } else if (line.startsWith(FENCE)) {
      close()
      open = { info: line.slice(FENCE.length), lines: [] }
    } else if (line.trim() === "") close()
    else lines.push(line)
  }
  if (open !== null) throw new Error("a block of code without its end")
  close()
  return blocks
}

const INLINE = /`(?<code>[^`]+)`|\*\*(?<strong>[^*]+)\*\*|\[(?<text>[^\]]+)\]\((?<href>[^)\s]+)\)/g

/** Addresses that a link may have: of this service, or of a standard. */
const LINKED = /^(?:https:\/\/|\/(?!\/)|#)/

/** A text with inline Markdown as HTML. */
export const inlineHtml = (text: string): Html => {
  const parts: Array<Html | string> = []
  let end = 0
  for (const match of text.matchAll(INLINE)) {
    const { code, strong, text: label, href } = match.groups ?? {}
    parts.push(text.slice(end, match.index))
    if (code !== undefined) parts.push(html`<code>${code}</code>`)
    else if (strong !== undefined) parts.push(html`<strong>${strong}</strong>`)
    else {
      if (href === undefined || !LINKED.test(href)) throw new Error(`a link that guides do not have: ${href}`)
      parts.push(html`<a href="${href}">${inlineHtml(label ?? "")}</a>`)
    }
    end = match.index + match[0].length
  }
  return html`${[...parts, text.slice(end)]}`
}

/** The anchor of a heading. */
export const anchorOf = (heading: string): string =>
  heading
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, "-")
    .replace(/^-|-$/g, "")

const blockHtml = (block: Block): Html => {
  switch (block.kind) {
    case "heading":
      return html`<h2 id="${anchorOf(block.text)}">${inlineHtml(block.text)}</h2>`
    case "text":
      return html`<p>${inlineHtml(block.text)}</p>`
    case "list":
      return html`<ul>${block.items.map((item) => html`<li>${inlineHtml(item)}</li>\n`)}</ul>`
    case "code":
      return html`<pre tabindex="0" data-copy><code>${block.code}</code></pre>`
    case "table":
      return htmlTableOf(
        block.head.map(inlineHtml),
        block.rows.map((cells) => cells.map(inlineHtml)),
      )
  }
}

/** Blocks as HTML. */
export const blocksHtml = (blocks: ReadonlyArray<Block>): Html =>
  html`${blocks.map((one) => html`${blockHtml(one)}\n`)}`
