import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import * as SchemaGetter from "effect/SchemaGetter"
import { decodeXML } from "entities"
import { XMLParser } from "fast-xml-parser"
import type { DocumentFormat } from "../document.ts"
import { parseCsv } from "./csv.ts"
import { jsonProblemOf } from "./json-bounds.ts"
import { workbookSheets } from "./workbook.ts"

/** The maximum nesting depth of XML elements. */
const XML_DEPTH_MAX = 100
/** The part of a document in which the XML declaration is searched for. */
const XML_DECLARATION_BYTES = 256

const strictUtf8 = new TextDecoder("utf-8", { fatal: true })

const parseJson = (bytes: Uint8Array): unknown => {
  const problem = jsonProblemOf(bytes)
  if (problem !== null) throw new Error(problem)
  return JSON.parse(strictUtf8.decode(bytes))
}

/** A string, closed or not, so that the search stays linear; or a bare token that is no JSON. */
const STRING_OR_NON_FINITE = /"(?:[^"\\]|\\.)*(?:"|\\?$)|-?\b(?:NaN|Infinity)\b/gs

const parsePythonJson = (bytes: Uint8Array): unknown => {
  const problem = jsonProblemOf(bytes)
  if (problem !== null) throw new Error(problem)
  const text = strictUtf8.decode(bytes)
  return JSON.parse(text.replace(STRING_OR_NON_FINITE, (token) => (token.startsWith('"') ? token : "null")))
}

// Entities that a document declares are never expanded.
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
  // Atom's inline XHTML is kept as one text: parsed as elements, it would lose the order of its words.
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

const parsers: Readonly<Record<DocumentFormat, (bytes: Uint8Array) => unknown>> = {
  json: parseJson,
  "python-json": parsePythonJson,
  xml: parseXml,
  csv: (bytes) => parseCsv(strictUtf8.decode(bytes)),
  text: (bytes) => strictUtf8.decode(bytes),
  xls: workbookSheets,
}

/**
 * Parses the bytes of a document by its format, without its schema. Never throws.
 *
 * - `json`: strict UTF-8, a byte order mark tolerated.
 * - `python-json`: the same with the bare tokens NaN, Infinity and -Infinity, which Python's `json` writes: each is null.
 * - `xml`: well-formed, in its declared character set. Text and attributes stay text; attributes are `@_name`, the
 *   text beside attributes or elements is `#text`, names keep their prefix (`geo:lat`), an empty element is `""`, and an
 *   element is an array only where it stands more than once: see `oneOrMany` and `XmlText`. Inline XHTML of Atom stays
 *   markup in one text: see `cleanHtml`. Documents that declare entities are refused.
 * - `csv`: a `CsvTable`, with any of the usual delimiters; see csv.ts.
 * - `text`: strict UTF-8.
 * - `xls`: the sheets of a workbook in Excel's old binary form, as `Sheet`s; see workbook.ts.
 */
export const parseBytes = (format: DocumentFormat, bytes: Uint8Array): Result.Result<unknown, string> => {
  try {
    return Result.succeed(parsers[format](bytes))
  } catch (cause) {
    return Result.fail(`not ${format}: ${cause instanceof Error ? cause.message : "unreadable"}`)
  }
}

/** Wire schema of an XML element that occurs any number of times: decodes to an array. */
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
