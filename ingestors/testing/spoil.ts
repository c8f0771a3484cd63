/** Text that every source must clean: controls, direction marks, zero width, markup, great length, a lone surrogate. */
export const HOSTILE_TEXT = `Alert &lt;b&gt; <script>alert("x")</script>\u0000\u0007\u202e\u2066\u200b\ufeff'; DROP TABLE x; -- \ud800 ${"A".repeat(6000)}`

const encoder = new TextEncoder()
const decoder = new TextDecoder()
const bytes = (text: string): Uint8Array => encoder.encode(text)

const parse = (text: string): { readonly json: unknown } | null => {
  try {
    return { json: JSON.parse(text) }
  } catch {
    return null
  }
}

const mapLeaves = (value: unknown, leaf: (value: unknown) => unknown): unknown => {
  if (Array.isArray(value)) return value.map((one) => mapLeaves(one, leaf))
  if (typeof value === "object" && value !== null)
    return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, mapLeaves(one, leaf)]))
  return leaf(value)
}

/** Text that an attacker could write: it contains a space and is not a time. */
const isProse = (text: string): boolean => /\S\s+\S/.test(text) && !/^\d{4}[-.]\d\d/.test(text)

/** XML cannot contain controls or lone surrogates. */
const asXml = (text: string): string =>
  Array.from(text.replaceAll("\ud800", ""), (character) => (character < " " ? "" : character))
    .join("")
    .replace(/&/g, "&amp;")
    .replace(/</g, "&lt;")

const hostileXml = asXml(HOSTILE_TEXT)

const hostile = (text: string): string => {
  const parsed = parse(text)
  return parsed === null
    ? text.replace(/>([^<>]*\S\s+\S[^<>]*)</g, (_, inner: string) => `>${inner} ${hostileXml}<`)
    : JSON.stringify(
        mapLeaves(parsed.json, (leaf) => (typeof leaf === "string" && isProse(leaf) ? HOSTILE_TEXT : leaf)),
      )
}

const wrongType = (text: string): string => {
  const parsed = parse(text)
  return parsed === null
    ? text.replace(/\d/g, "x")
    : JSON.stringify(mapLeaves(parsed.json, (leaf) => (leaf === null ? 0 : { unexpected: true })))
}

/** Ways to break a whole document, by name. */
export const spoiledDocuments: Readonly<Record<string, (document: Uint8Array) => Uint8Array>> = {
  truncated: (document) => document.subarray(0, Math.floor(document.byteLength / 2)),
  "of a wrong type": (document) => bytes(wrongType(decoder.decode(document))),
  "not UTF-8": (document) => Uint8Array.from([...document.subarray(0, 100), 0xff, 0xfe, 0x00]),
  "full of hostile text": (document) => bytes(hostile(decoder.decode(document))),
}

/** Answers that an upstream may send instead of any document, by name. */
export const foreignAnswers: Readonly<Record<string, () => Uint8Array>> = {
  null: () => bytes("null"),
  nothing: () => bytes(""),
  "an empty list": () => bytes("[]"),
  "an empty object": () => bytes("{}"),
  "a web page": () => bytes("<!doctype html><html><head><title>Just a moment...</title></head><body>x</body></html>"),
  "a plain error": () => bytes("Invalid API call, try later"),
  "a list of 10 MB": () => bytes(JSON.stringify(Array.from({ length: 10_000 }, () => ({ a: "b".repeat(1_000) })))),
  "endless nesting": () => bytes("[".repeat(200_000) + "]".repeat(200_000)),
}

const replacements: ReadonlyArray<unknown> = [
  null,
  "",
  HOSTILE_TEXT,
  [],
  {},
  -1,
  0,
  1e308,
  5e-324,
  Number.MAX_SAFE_INTEGER,
  true,
  "NaN",
  "9999-12-31T23:59:59Z",
  "-000001-01-01T00:00:00Z",
  "javascript:alert(1)",
  "__proto__",
]

/** Replaces one value of a document. `where` and `what`, both in [0, 1), select the value and its replacement. */
export const spoilOne = (document: Uint8Array, where: number, what: number): Uint8Array => {
  const text = decoder.decode(document)
  const replacement = replacements[Math.floor(what * replacements.length)]
  const parsed = parse(text)
  if (parsed === null) {
    const at = Math.floor(where * text.length)
    const inserted = asXml(String(replacement))
    return bytes(`${text.slice(0, at)}${inserted}${text.slice(at + Math.floor(what * 20))}`)
  }
  let leaves = 0
  mapLeaves(parsed.json, () => {
    leaves += 1
  })
  const target = Math.floor(where * leaves)
  let seen = -1
  return bytes(
    JSON.stringify(
      mapLeaves(parsed.json, (leaf) => {
        seen += 1
        return seen === target ? replacement : leaf
      }),
    ),
  )
}
