import { escapeUTF8 } from "entities"

// RFC 4287: a feed of entries, for readers of feeds.

/** An entry of a feed. */
export interface AtomEntry {
  /** An IRI that stays the same for ever. */
  readonly id: string
  readonly title: string
  readonly summary: string
  /** An instant. */
  readonly updated: string
  /** An instant; null where none is known. */
  readonly published: string | null
  readonly author: string
  readonly categories: ReadonlyArray<string>
  readonly links: ReadonlyArray<AtomLink>
}

/** A link of a feed or of an entry, with an absolute address. */
export interface AtomLink {
  readonly rel: "self" | "next" | "alternate" | "related"
  readonly type: string
  readonly href: string
}

/** A feed. */
export interface AtomFeed {
  readonly id: string
  readonly title: string
  readonly author: string
  readonly updated: string
  readonly links: ReadonlyArray<AtomLink>
  readonly entries: ReadonlyArray<AtomEntry>
}

/** Characters that XML 1.0 has no spelling for, not even escaped; lone halves of surrogate pairs are among them. */
const FORBIDDEN = /[^\t\n\r\u{20}-\u{D7FF}\u{E000}-\u{FFFD}\u{10000}-\u{10FFFF}]/gu

const escaped = (text: string): string => escapeUTF8(text.replace(FORBIDDEN, ""))

const element = (name: string, text: string): string => `<${name}>${escaped(text)}</${name}>`

const person = (name: string): string => `<author>${element("name", name)}</author>`

const linkOf = ({ rel, type, href }: AtomLink): string =>
  `<link rel="${rel}" type="${escaped(type)}" href="${escaped(href)}"/>`

const entryOf = ({ id, title, summary, updated, published, author, categories, links }: AtomEntry): string =>
  [
    "<entry>",
    element("id", id),
    element("title", title),
    element("updated", updated),
    ...(published === null ? [] : [element("published", published)]),
    person(author),
    ...categories.map((term) => `<category term="${escaped(term)}"/>`),
    ...links.map(linkOf),
    element("summary", summary),
    "</entry>",
  ].join("")

/** A feed as XML. */
export const atomOf = ({ id, title, author, updated, links, entries }: AtomFeed): string =>
  [
    '<?xml version="1.0" encoding="utf-8"?>',
    '<feed xmlns="http://www.w3.org/2005/Atom">',
    element("id", id),
    element("title", title),
    element("updated", updated),
    person(author),
    ...links.map(linkOf),
    ...entries.map(entryOf),
    "</feed>",
    "",
  ].join("\n")
