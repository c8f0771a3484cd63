import { isUtf8 } from "node:buffer"
import { createHash } from "node:crypto"
import { createReadStream, createWriteStream } from "node:fs"
import { open, rename, rm, stat } from "node:fs/promises"
import type { Readable, Writable } from "node:stream"
import { pipeline } from "node:stream/promises"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import * as Stream from "effect/Stream"
import { type LogRecord, RECORD_MAX_BYTES, type StoredRecord } from "../../../schemas/ports/event-log.ts"
import type { Progress } from "../../../schemas/ports/progress.ts"
import { type Topic, topicNames } from "../../../schemas/topics.ts"
import { codeOf, messageOf } from "../../system/error.ts"

// The file format of exports and backups: NDJSON in UTF-8, one JSON value per line, each line ended by "\n".
// infra/log/README.md specifies it.
//
//   {"log":"tidewire","format":3,"archive":true}                            the header
//   {"section":"observations","from":"archive"}                              records of this topic follow, in order
//   {"key":"...","text":"..."}                                              a record; "base64" where it is no UTF-8
//   {"trailer":{"records":1,"topics":{"observations":1},"sha256":"..."}}    counts, and the hash of every line above

/** The version of the format. A file of another version is refused. */
const FORMAT = 3

/** The topics of an export. `imports` describes one log only, and is left out. */
export const exportedTopics: ReadonlyArray<Topic> = topicNames.filter((topic) => topic !== "imports")

const Header = Schema.Struct({
  log: Schema.Literal("tidewire"),
  format: Schema.Literal(FORMAT),
  /** True for a backup: records that were trimmed from the log are included, from the archive. */
  archive: Schema.Boolean,
  /** Topics whose trimmed records are missing in this file. */
  trimmed: Schema.Array(Schema.Literals(topicNames)),
})
export type Header = typeof Header.Type

const Section = Schema.Struct({ section: Schema.Literals(topicNames), from: Schema.Literals(["archive", "log"]) })
const RecordLine = Schema.Struct({
  key: Schema.String,
  text: Schema.optionalKey(Schema.String),
  base64: Schema.optionalKey(Schema.String),
})
const Trailer = Schema.Struct({
  trailer: Schema.Struct({
    records: Schema.Natural,
    topics: Schema.Record(Schema.String, Schema.Natural),
    /** SHA-256 of every line above this one, line ends included, in hex. */
    sha256: Schema.String,
  }),
})
export type Trailer = typeof Trailer.Type

/** Any line but the header. */
type BodyLine = typeof Section.Type | typeof RecordLine.Type | Trailer

/** Decodes the first line of a file. */
export const decodeHeader: (line: string) => Result.Result<Header, Schema.SchemaError> = Schema.decodeUnknownResult(
  Schema.fromJsonString(Header),
)
/** Decodes any other line. */
export const decodeBody: (line: string) => Result.Result<BodyLine, Schema.SchemaError> = Schema.decodeUnknownResult(
  Schema.fromJsonString(Schema.Union([RecordLine, Section, Trailer])),
)
/** Decodes the last line. */
const decodeTrailer: (line: string) => Result.Result<Trailer, Schema.SchemaError> = Schema.decodeUnknownResult(
  Schema.fromJsonString(Trailer),
)

/** The header as a line. */
export const headerLine = (header: Pick<Header, "archive" | "trimmed">): string =>
  JSON.stringify({ log: "tidewire", format: FORMAT, ...header })

/** The line before the records of a topic. */
export const sectionLine = (section: Topic, from: "archive" | "log"): string => JSON.stringify({ section, from })

/** A record as a line, without its offset, which is specific to an engine. */
export const recordLine = ({ key, value }: Pick<StoredRecord, "key" | "value">): string => {
  if (value === null) return JSON.stringify({ key })
  const bytes = Buffer.from(value.buffer, value.byteOffset, value.byteLength)
  return JSON.stringify(
    isUtf8(bytes) ? { key, text: bytes.toString("utf8") } : { key, base64: bytes.toString("base64") },
  )
}

/** The record of a line. */
export const recordOf = (topic: Topic, { key, text, base64 }: typeof RecordLine.Type): LogRecord => {
  if (text !== undefined) return { topic, key, value: Buffer.from(text, "utf8") }
  return { topic, key, value: base64 === undefined ? null : Buffer.from(base64, "base64") }
}

/** Counts and hashes the lines of a file for its trailer. */
interface Tally {
  /** Adds a header or section. */
  readonly line: (line: string) => void
  readonly record: (topic: Topic, line: string) => void
  readonly records: () => number
  /** SHA-256 of the lines so far, in hex. */
  readonly sha256: () => string
  readonly trailer: () => Trailer
}

/** Begins a tally. */
export const makeTally = (): Tally => {
  const hash = createHash("sha256")
  const topics: Partial<Record<Topic, number>> = {}
  let records = 0
  const sha256 = () => hash.copy().digest("hex")
  const line = (text: string) => void hash.update(`${text}\n`)
  return {
    line,
    record: (topic, text) => {
      line(text)
      records += 1
      topics[topic] = (topics[topic] ?? 0) + 1
    },
    records: () => records,
    sha256,
    trailer: () => ({ trailer: { records, topics: { ...topics }, sha256: sha256() } }),
  }
}

/** The longest line: the largest record, if JSON escapes each of its bytes as six characters. */
const LINE_MAX_CHARACTERS = 6 * RECORD_MAX_BYTES + 1_024
/** The last line contains a count for each topic and a hash; the first one is shorter. */
const TRAILER_MAX_BYTES = 16 * 1024

/** A line is longer than any that an export writes. */
class LineTooLong extends Error {
  override readonly name = "LineTooLong"
}

/** Splits pieces of a text into lines without their ends. Holds at most one line more than a piece. */
async function* linesOf(source: AsyncIterable<string>): AsyncGenerator<string> {
  let rest = ""
  for await (const piece of source) {
    rest += piece
    if (rest.length > LINE_MAX_CHARACTERS && !piece.includes("\n"))
      throw new LineTooLong("it has a line that is longer than any line of an export")
    if (!piece.includes("\n")) continue
    const lines = rest.split("\n")
    rest = lines.pop() ?? ""
    yield* lines
  }
  if (rest !== "") yield rest
}

/** The first and the last line of a file. */
export interface FileEnds {
  /** Null if the first line is none of this version. */
  readonly header: Header | null
  readonly trailer: Trailer["trailer"]
}

/** Reads the ends of a file; null without a trailer, so that a truncated file is refused before any line is used. */
const readEnds = async (path: string): Promise<FileEnds | null> => {
  const file = await open(path, "r")
  try {
    const { size } = await file.stat()
    const length = Math.min(size, TRAILER_MAX_BYTES)
    const textAt = async (position: number) => {
      const { buffer } = await file.read({ buffer: Buffer.alloc(length), position })
      return buffer.toString("utf8")
    }
    const last = decodeTrailer((await textAt(size - length)).trimEnd().split("\n").at(-1) ?? "")
    if (Result.isFailure(last)) return null
    const first = decodeHeader((await textAt(0)).split("\n")[0] ?? "")
    return { header: Result.isSuccess(first) ? first.success : null, trailer: last.success.trailer }
  } finally {
    await file.close()
  }
}

const READ_BYTES = 1024 * 1024
const LINES_IN_CHUNK = 500
const MODE = 0o600
/** Stands for standard output or input. */
const STANDARD = "-"

/** A file cannot be written or read, or is no export. */
class FileUnusable extends Schema.TaggedError<FileUnusable>()("FileUnusable", {
  file: Schema.String,
  problem: Schema.String,
}) {
  override get message() {
    return `${this.file}: ${this.problem}`
  }
}

const WORDS: Readonly<Record<string, string>> = {
  ENOENT: "there is no such file or folder",
  EACCES: "this user may not use it",
  EISDIR: "it is a folder",
  ENOSPC: "the disk is full",
}

const unusable =
  (file: string) =>
  (cause: unknown): FileUnusable =>
    new FileUnusable({ file, problem: WORDS[String(codeOf(cause))] ?? messageOf(cause) })

/**
 * Writes lines to a file or to standard output. A file is complete or does not appear, also after an interruption. Failures
 * of the lines are passed on unchanged.
 */
export const writeLines = <E>(file: string, lines: Stream.Stream<string, E>): Effect.Effect<void, E | FileUnusable> =>
  Effect.gen(function* () {
    const part = `${file}.part`
    let failure: { readonly of: E } | undefined
    const chunks = lines.pipe(
      Stream.tapError((error) =>
        Effect.sync(() => {
          failure = { of: error }
        }),
      ),
      Stream.grouped(LINES_IN_CHUNK),
      Stream.map((group) => `${group.join("\n")}\n`),
      Stream.toAsyncIterable,
    )
    yield* Effect.tryPromise({
      try: async (signal) => {
        const target: Writable =
          file === STANDARD ? process.stdout : createWriteStream(part, { flush: true, mode: MODE })
        await pipeline(chunks, target, { end: file !== STANDARD, signal })
        if (file !== STANDARD) await rename(part, file)
      },
      catch: (cause): E | FileUnusable => (failure === undefined ? unusable(file)(cause) : failure.of),
    }).pipe(
      Effect.onExit((exit) =>
        exit._tag === "Success" || file === STANDARD
          ? Effect.void
          : Effect.promise(() => rm(part, { force: true }).catch(() => {})),
      ),
    )
  })

/** Passes pieces of a text on, and reports their bytes. */
async function* countBytes(source: AsyncIterable<string>, advance: (bytes: number) => void): AsyncGenerator<string> {
  for await (const piece of source) {
    yield piece
    advance(Buffer.byteLength(piece))
  }
}

/** Lets a reader stop early: closing a generator that awaits its source would block until the source ends. */
const endingWith = (lines: AsyncGenerator<string>, source: Readable): AsyncIterable<string> => ({
  [Symbol.asyncIterator]: () => ({
    next: () => lines.next(),
    return: () => {
      source.destroy()
      return Promise.resolve({ done: true, value: undefined })
    },
  }),
})

/** A file that was checked. */
export interface CheckedFile {
  readonly lines: Stream.Stream<string, FileUnusable>
  /** Null for standard input and pipes, which are read once. */
  readonly ends: FileEnds | null
}

/**
 * Checks a file, and gives its ends and the stream of its lines, or the lines of standard input. A truncated file is refused
 * here, before anything is written; the stage of progress begins with the stream.
 */
export const checkFile = (file: string, progress: Progress, stage: string): Effect.Effect<CheckedFile, FileUnusable> =>
  Effect.gen(function* () {
    const facts = file === STANDARD ? null : yield* Effect.tryPromise({ try: () => stat(file), catch: unusable(file) })
    const isRegular = facts?.isFile() === true
    const ends = isRegular ? yield* Effect.tryPromise({ try: () => readEnds(file), catch: unusable(file) }) : null
    if (isRegular && ends === null)
      return yield* new FileUnusable({
        file,
        problem:
          "it does not end with the last line of an export, so it was cut short, or is none; nothing was imported",
      })
    const lines = Stream.suspend(() => {
      const { advance } = progress.begin(stage, isRegular ? facts.size : null, "bytes")
      const source: Readable = file === STANDARD ? process.stdin : createReadStream(file, { highWaterMark: READ_BYTES })
      const read = linesOf(countBytes(source.setEncoding("utf8"), advance))
      return Stream.fromAsyncIterable(endingWith(read, source), unusable(file))
    })
    return { lines, ends }
  })

/** The lines of a file that is checked as by `checkFile`. */
export const readLines = (
  file: string,
  progress: Progress,
  stage: string,
): Effect.Effect<CheckedFile["lines"], FileUnusable> =>
  Effect.map(checkFile(file, progress, stage), ({ lines }) => lines)
