import { escapeUTF8 } from "entities"

// Small template libraries escape by convention; here the type decides: what is no `Html` is text, and is escaped.

/** Markup that is safe to send: made by `html` alone, from literal markup and escaped texts. */
export class Html {
  readonly #markup: string

  constructor(markup: string) {
    this.#markup = markup
  }

  toString(): string {
    return this.#markup
  }
}

/** What may stand in a template: markup, text, a number, nothing, or a list of these. */
export type Insert = Html | string | number | null | undefined | false | ReadonlyArray<Insert>

const markupOf = (insert: Insert): string => {
  if (insert === null || insert === undefined || insert === false) return ""
  if (insert instanceof Html) return String(insert)
  if (typeof insert === "string") return escapeUTF8(insert)
  return typeof insert === "number" ? String(insert) : insert.map(markupOf).join("")
}

/** Makes markup. Inserted texts are escaped, for text and for attribute values in double quotes alike. */
export const html = (literal: TemplateStringsArray, ...inserts: ReadonlyArray<Insert>): Html =>
  new Html(String.raw({ raw: literal }, ...inserts.map(markupOf)))

/** A text of the contract, in which backticks mark code. */
export const withCode = (text: string): Html =>
  html`${text.split(/`([^`]*)`/).map((part, at) => (at % 2 === 0 ? part : html`<code>${part}</code>`))}`

/** JSON for a `script` element that is not run: no text in it can end the element. */
export const scriptJson = (value: unknown): Html => new Html(JSON.stringify(value).replaceAll("<", "\\u003c"))

/** Text of an upstream in Markdown: no mark of Markdown or HTML works in it. */
export const markdownText = (text: string): string =>
  text
    .replace(/\s+/g, " ")
    .replace(/[\\`*_[\]#]/g, "\\$&")
    .replaceAll("<", "&lt;")
