import type * as Result from "effect/Result"

// JSON of a provider, read as it arrives. Own code: streaming parsers hold each string and each element whole, however large
// a stranger has made them.

/** Characters of a text that are kept; the rest of a longer one is dropped. Nothing that is decoded is as long. */
export const TEXT_KEPT_CHARACTERS = 512
/** Values that a document may hold besides the elements that are dropped. */
const VALUES_MAX = 20_000
const DEPTH_MAX = 16
const NUMBER_MAX_CHARACTERS = 40

/** Why bytes are not read: they are no JSON, or hold more values than are kept. */
export type JsonFault = "malformed" | "too_many_values"

/** Bytes that cannot be read. */
export class JsonUnreadable extends Error {
  readonly fault: JsonFault
  constructor(fault: JsonFault) {
    super(fault)
    this.fault = fault
  }
}

/** Whether an element of an array is kept. `member`: the name of the array within its object; null for others. */
export type KeepElement = (member: string | null, element: unknown) => boolean

/** What is read of one answer: the elements of its lists that are kept, and the value of its result. */
export interface Reading<A> {
  readonly keep?: KeepElement
  /** Instead of the bytes of its lane. */
  readonly bytesMax?: number
  readonly decode: (result: unknown) => Result.Result<A, unknown>
}

/** A reader of one JSON document. Both methods throw `JsonUnreadable`. */
export interface JsonReader {
  readonly push: (bytes: Uint8Array) => void
  /** The document, once it is complete; undefined where bytes are missing. */
  readonly end: () => { readonly value: unknown } | undefined
}

type Container = { readonly values: Array<unknown>; readonly member: string | null } | Map<string, unknown>
interface Level {
  readonly container: Container
  key: string | null
  /** What may come next. */
  expects: "value" | "value or end" | "key" | "key or end" | "colon" | "comma or end"
  /** Values that were kept when this container began. */
  readonly keptBefore: number
}

const isSpace = (byte: number): boolean => byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09
const [QUOTE, BACKSLASH, COMMA, COLON, OPEN_LIST, CLOSE_LIST, OPEN_OBJECT, CLOSE_OBJECT] = [
  0x22, 0x5c, 0x2c, 0x3a, 0x5b, 0x5d, 0x7b, 0x7d,
]
const ESCAPED: Readonly<Record<string, string>> = { b: "\b", f: "\f", n: "\n", r: "\r", t: "\t" }
const NUMBER = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/
const LITERALS: ReadonlyMap<string, unknown> = new Map([
  ["true", true],
  ["false", false],
  ["null", null],
])

/**
 * Makes a reader that holds no more than what is kept: texts are cut at `TEXT_KEPT_CHARACTERS`, and each element of an array
 * is dropped as it ends unless `keep` says otherwise. Time is linear in the bytes.
 */
export const makeJsonReader = (keep: KeepElement = () => true): JsonReader => {
  const levels: Array<Level> = []
  let document: { readonly value: unknown } | undefined
  let kept = 0
  // The token that is being read, over the borders of chunks.
  let token: "none" | "text" | "escape" | "bare" = "none"
  let text = ""
  let escaped = ""

  const malformed = (): never => {
    throw new JsonUnreadable("malformed")
  }

  const finish = (value: unknown, keptBefore: number): void => {
    const level = levels.at(-1)
    if (level === undefined) {
      if (document !== undefined) malformed()
      document = { value }
      return
    }
    const { container } = level
    level.expects = "comma or end"
    if (container instanceof Map) container.set(level.key ?? malformed(), value)
    else if (keep(container.member, value)) container.values.push(value)
    else {
      kept = keptBefore
      return
    }
    kept = Math.max(kept, keptBefore) + 1
    if (kept > VALUES_MAX) throw new JsonUnreadable("too_many_values")
  }

  const beginValue = (): void => {
    const level = levels.at(-1)
    if (level === undefined) {
      if (document !== undefined) malformed()
    } else if (level.expects !== "value" && level.expects !== "value or end") malformed()
  }

  const open = (list: boolean): void => {
    beginValue()
    if (levels.length >= DEPTH_MAX) malformed()
    const outer = levels.at(-1)
    const member = outer?.container instanceof Map ? outer.key : null
    levels.push({
      container: list ? { values: [], member } : new Map(),
      key: null,
      expects: list ? "value or end" : "key or end",
      keptBefore: kept,
    })
  }

  const close = (list: boolean): void => {
    const level = levels.at(-1) ?? malformed()
    const { container, expects, keptBefore } = level
    if (container instanceof Map === list) malformed()
    if (expects !== "comma or end" && expects !== (list ? "value or end" : "key or end")) malformed()
    levels.pop()
    finish(container instanceof Map ? Object.fromEntries(container) : container.values, keptBefore)
  }

  const finishText = (): void => {
    token = "none"
    const level = levels.at(-1)
    if (level !== undefined && (level.expects === "key" || level.expects === "key or end")) {
      level.key = text
      level.expects = "colon"
    } else finish(text, kept)
  }

  const finishBare = (): void => {
    token = "none"
    if (LITERALS.has(text)) finish(LITERALS.get(text), kept)
    else if (NUMBER.test(text)) finish(Number(text), kept)
    else malformed()
  }

  const separate = (byte: number): void => {
    const level = levels.at(-1) ?? malformed()
    const isObject = level.container instanceof Map
    if (byte === COLON && level.expects === "colon") level.expects = "value"
    else if (byte === COMMA && level.expects === "comma or end") level.expects = isObject ? "key" : "value"
    else malformed()
  }

  const begin = (byte: number): void => {
    if (byte === OPEN_OBJECT || byte === OPEN_LIST) open(byte === OPEN_LIST)
    else if (byte === CLOSE_OBJECT || byte === CLOSE_LIST) close(byte === CLOSE_LIST)
    else if (byte === COMMA || byte === COLON) separate(byte)
    else {
      text = ""
      const expects = levels.at(-1)?.expects
      const isKey = expects === "key" || expects === "key or end"
      if (byte !== QUOTE || !isKey) beginValue()
      if (byte === QUOTE) token = "text"
      else {
        token = "bare"
        text = String.fromCharCode(byte)
      }
    }
  }

  const append = (more: string): void => {
    if (text.length < TEXT_KEPT_CHARACTERS) text = (text + more).slice(0, TEXT_KEPT_CHARACTERS)
  }

  const readEscape = (byte: number): void => {
    escaped += String.fromCharCode(byte)
    const isUnicode = escaped.startsWith("u")
    if (isUnicode && escaped.length < 5) return
    if (isUnicode ? !/^u[0-9a-fA-F]{4}$/.test(escaped) : !/^["\\/bfnrt]$/.test(escaped)) malformed()
    append(isUnicode ? String.fromCharCode(Number.parseInt(escaped.slice(1), 16)) : (ESCAPED[escaped] ?? escaped))
    token = "text"
  }

  /** Reads a text up to its end, an escape, or the end of the chunk; gives the offset behind. */
  const readText = (bytes: Buffer, from: number): number => {
    let at = from
    while (at < bytes.length && bytes[at] !== QUOTE && bytes[at] !== BACKSLASH) {
      // Control characters must be escaped; anything else within a text is not looked at.
      if ((bytes[at] ?? 0) < 0x20) malformed()
      at++
    }
    if (text.length < TEXT_KEPT_CHARACTERS)
      append(bytes.toString("latin1", from, Math.min(at, from + TEXT_KEPT_CHARACTERS)))
    if (at === bytes.length) return at
    if (bytes[at] === QUOTE) finishText()
    else {
      token = "escape"
      escaped = ""
    }
    return at + 1
  }

  const isBareEnd = (byte: number): boolean =>
    isSpace(byte) || byte === COMMA || byte === CLOSE_LIST || byte === CLOSE_OBJECT

  return {
    push: (chunk) => {
      const bytes = Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength)
      for (let at = 0; at < bytes.length; ) {
        const byte = bytes[at] ?? 0
        if (token === "text") {
          at = readText(bytes, at)
          continue
        }
        if (token === "bare" && isBareEnd(byte)) finishBare()
        at++
        if (token === "escape") readEscape(byte)
        else if (token === "bare") {
          if (text.length >= NUMBER_MAX_CHARACTERS) malformed()
          text += String.fromCharCode(byte)
        } else if (!isSpace(byte)) begin(byte)
      }
    },
    end: () => {
      if (token === "bare" && levels.length === 0) finishBare()
      return token === "none" && levels.length === 0 ? document : undefined
    },
  }
}
