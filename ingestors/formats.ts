import { parse } from "csv-parse/sync"
import { Result, Schema, SchemaGetter } from "effect"
import { decodeXML } from "entities"
import { XMLParser } from "fast-xml-parser"
import type { DocumentFormat } from "./document.ts"
import { jsonProblemOf } from "./json-bounds.ts"

/** Rows of a CSV document beyond which it is refused. */
const CSV_ROWS_MAX = 1_000_000
/** Of a CSV document's rows, how many may have a wrong number of columns before the whole is refused. */
const CSV_RAGGED_SHARE_MAX = 0.1
/** How deep the elements of an XML document may be nested. */
const XML_DEPTH_MAX = 100
/** How much of a document is looked at to find the character set its XML declaration names. */
const XML_DECLARATION_BYTES = 256

/** A table as a CSV document holds it: the header's names, and each row by those names, all of it text. */
export interface CsvTable {
  readonly columns: ReadonlyArray<string>
  readonly rows: ReadonlyArray<Readonly<Record<string, string>>>
}

const strictUtf8 = new TextDecoder("utf-8", { fatal: true })

const parseJson = (bytes: Uint8Array): unknown => {
  const problem = jsonProblemOf(bytes)
  if (problem !== null) throw new Error(problem)
  return JSON.parse(strictUtf8.decode(bytes))
}

// No document type is read for its entities: what a document declares itself is never expanded.
const noDeclaredEntities = {
  setExternalEntities: () => {},
  addInputEntities: () => {
    throw new Error("a document that declares entities is refused")
  },
  reset: () => {},
  decode: decodeXML,
  setXmlVersion: () => {},
}

const xmlParser = new XMLParser({
  ignoreAttributes: false,
  attributeNamePrefix: "@_",
  textNodeName: "#text",
  parseTagValue: false,
  parseAttributeValue: false,
  trimValues: true,
  maxNestedTags: XML_DEPTH_MAX,
  entityDecoder: noDeclaredEntities,
  // Atom's inline XHTML is one text to us: as elements it would lose the order of its words.
  stopNodes: ["..summary[type=xhtml]", "..content[type=xhtml]", "..title[type=xhtml]"],
})

const declaredCharset = (bytes: Uint8Array): string => {
  const [first, second] = bytes
  if (first === 0xff && second === 0xfe) return "utf-16le"
  if (first === 0xfe && second === 0xff) return "utf-16be"
  const start = new TextDecoder("latin1").decode(bytes.subarray(0, XML_DECLARATION_BYTES))
  return /^\s*(?:\u00ef\u00bb\u00bf)?<\?xml[^>]*\sencoding\s*=\s*["']([\w.:-]{1,40})["']/i.exec(start)?.[1] ?? "utf-8"
}

const parseXml = (bytes: Uint8Array): unknown => {
  const text = new TextDecoder(declaredCharset(bytes), { fatal: true }).decode(bytes)
  if (/<!ENTITY/i.test(text)) throw new Error("a document that declares entities is refused")
  return xmlParser.parse(text, true)
}

const delimiters = [",", "|", ";", "\t"] as const

const parseCsv = (bytes: Uint8Array): CsvTable => {
  const text = strictUtf8.decode(bytes)
  const headerText = text.slice(0, text.search(/[\r\n]|$/))
  // An error page or an error object in a 200 is text with line breaks and commas too.
  if (/^\s*[<{[]/.test(headerText)) throw new Error("markup or JSON where a CSV header was expected")
  const delimiter = delimiters.reduce((best, one) =>
    headerText.split(one).length > headerText.split(best).length ? one : best,
  )
  const [header = [], ...rows]: ReadonlyArray<ReadonlyArray<string>> = parse(text, {
    delimiter,
    relax_column_count: true,
    relax_quotes: true,
    skip_empty_lines: true,
    trim: true,
    to: CSV_ROWS_MAX + 2,
  })
  const columns = header.map((name) => name.trim())
  if (columns.length < 2) throw new Error("a CSV header of one column: most likely an error text")
  if (new Set(columns).size !== columns.length) throw new Error("a CSV header names a column twice")
  if (rows.length > CSV_ROWS_MAX) throw new Error(`more than ${CSV_ROWS_MAX} rows`)
  const whole = rows.filter((row) => row.length === columns.length)
  const ragged = rows.length - whole.length
  if (ragged > Math.max(1, rows.length * CSV_RAGGED_SHARE_MAX))
    throw new Error(`${ragged} of ${rows.length} rows have a wrong number of columns`)
  return {
    columns,
    rows: whole.map((row) => Object.fromEntries(columns.map((name, index) => [name, row[index] ?? ""]))),
  }
}

const parsers: Readonly<Record<DocumentFormat, (bytes: Uint8Array) => unknown>> = {
  json: parseJson,
  xml: parseXml,
  csv: parseCsv,
  text: (bytes) => strictUtf8.decode(bytes),
}

/**
 * The value that the bytes of a document are, before a schema is asked, or why they are none. Never throws.
 *
 * - `json`: strict UTF-8, a byte order mark tolerated.
 * - `xml`: well-formed, in the character set it declares. Text and attributes stay text; attributes are `@_name`, the
 *   text beside attributes or elements is `#text`, names keep their prefix (`geo:lat`), an empty element is `""`, and an
 *   element is an array only where it stands more than once: see `oneOrMany` and `XmlText`. Inline XHTML of Atom stays
 *   markup in one text: see `cleanHtml`. Documents that declare entities are refused.
 * - `csv`: a `CsvTable`, whatever the delimiter; see `csvTable`. Rows with a wrong number of columns are left out while
 *   they are few.
 * - `text`: strict UTF-8.
 */
export const parseBytes = (format: DocumentFormat, bytes: Uint8Array): Result.Result<unknown, string> => {
  try {
    return Result.succeed(parsers[format](bytes))
  } catch (cause) {
    return Result.fail(`not ${format}: ${cause instanceof Error ? cause.message : "unreadable"}`)
  }
}

/** Wire schema of something that stands once, several times, or empty (`""`): always an array once decoded. */
export const oneOrMany = <Item>(item: Schema.Codec<Item, unknown>): Schema.Codec<ReadonlyArray<Item>, unknown> =>
  Schema.Unknown.pipe(
    Schema.decodeTo(Schema.Array(item), {
      decode: SchemaGetter.transform(
        (value: unknown): ReadonlyArray<unknown> => (Array.isArray(value) ? value : value === "" ? [] : [value]),
      ),
      encode: SchemaGetter.transform((values: ReadonlyArray<unknown>): unknown => values),
    }),
  )

/** Wire schema of an XML element that holds text, with or without attributes: decodes to the text alone. */
export const XmlText: Schema.Codec<string, unknown> = Schema.Unknown.pipe(
  Schema.decodeTo(Schema.String, {
    decode: SchemaGetter.transform((value: unknown): string =>
      typeof value === "object" && value !== null && !Array.isArray(value)
        ? "#text" in value
          ? (value["#text"] as string)
          : ""
        : (value as string),
    ),
    encode: SchemaGetter.transform((text: string): unknown => text),
  }),
)

/**
 * Wire schema of a CSV document: `{ columns, rows }`, the rows decoded by `row` (every cell is text). The header must
 * name all of `columns`, so that an error text is never taken for an empty table.
 */
export const csvTable = <Row>(
  columns: ReadonlyArray<string>,
  row: Schema.Codec<Row, unknown>,
): Schema.Codec<{ readonly columns: ReadonlyArray<string>; readonly rows: ReadonlyArray<Row> }, unknown> =>
  Schema.Struct({
    columns: Schema.Array(Schema.String).check(
      Schema.makeFilter(
        (found: ReadonlyArray<string>) => columns.every((name) => found.includes(name)) || "the header lacks a column",
      ),
    ),
    rows: Schema.Array(row),
  })
