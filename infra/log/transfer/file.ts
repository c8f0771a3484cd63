import { createReadStream, createWriteStream } from "node:fs"
import { open, rename, rm, stat } from "node:fs/promises"
import type { Readable, Writable } from "node:stream"
import { pipeline } from "node:stream/promises"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import * as Stream from "effect/Stream"
import { RECORD_BYTES_MAX } from "../../../schemas/ports/event-log.ts"
import type { Progress } from "../../../schemas/ports/progress.ts"
import { decodeTrailer } from "./export-format.ts"

/** The longest line: the largest record, if JSON escapes each of its bytes as six characters. */
const LINE_CHARACTERS_MAX = 6 * RECORD_BYTES_MAX + 1_024
/** The last line contains a count for each topic and a hash. */
const TRAILER_BYTES_MAX = 16 * 1024

/** A line is longer than any that an export writes. */
class LineTooLong extends Error {
  override readonly name = "LineTooLong"
}

/** Splits pieces of a text into lines without their ends. Holds at most one line more than a piece. */
async function* linesOf(source: AsyncIterable<string>): AsyncGenerator<string> {
  let rest = ""
  for await (const piece of source) {
    rest += piece
    if (rest.length > LINE_CHARACTERS_MAX && !piece.includes("\n"))
      throw new LineTooLong("it has a line that is longer than any line of an export")
    if (!piece.includes("\n")) continue
    const lines = rest.split("\n")
    rest = lines.pop() ?? ""
    yield* lines
  }
  if (rest !== "") yield rest
}

/** Tests whether a file ends with a trailer, so that a truncated file is refused before any line is used. */
const endsWithTrailer = async (path: string): Promise<boolean> => {
  const file = await open(path, "r")
  try {
    const { size } = await file.stat()
    const length = Math.min(size, TRAILER_BYTES_MAX)
    const { buffer } = await file.read({ buffer: Buffer.alloc(length), position: size - length })
    const last = buffer.toString("utf8").trimEnd().split("\n").at(-1) ?? ""
    return Result.isSuccess(decodeTrailer(last))
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
export class FileUnusable extends Schema.TaggedError<FileUnusable>()("FileUnusable", {
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
  (cause: unknown): FileUnusable => {
    const code = cause instanceof Error && "code" in cause ? String(cause.code) : ""
    return new FileUnusable({ file, problem: WORDS[code] ?? (cause instanceof Error ? cause.message : String(cause)) })
  }

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

/**
 * Checks a file, and gives the stream of its lines, or of those of standard input. A truncated file is refused here, before
 * anything is written; the stage of progress begins with the stream.
 */
export const readLines = (
  file: string,
  progress: Progress,
  stage: string,
): Effect.Effect<Stream.Stream<string, FileUnusable>, FileUnusable> =>
  Effect.gen(function* () {
    const facts = file === STANDARD ? null : yield* Effect.tryPromise({ try: () => stat(file), catch: unusable(file) })
    const isRegular = facts?.isFile() === true
    if (isRegular && !(yield* Effect.tryPromise({ try: () => endsWithTrailer(file), catch: unusable(file) })))
      return yield* new FileUnusable({
        file,
        problem:
          "it does not end with the last line of an export, so it was cut short, or is none; nothing was imported",
      })
    return Stream.suspend(() => {
      const { advance } = progress.begin(stage, isRegular ? facts.size : null, "bytes")
      const source: Readable = file === STANDARD ? process.stdin : createReadStream(file, { highWaterMark: READ_BYTES })
      const lines = linesOf(countBytes(source.setEncoding("utf8"), advance))
      return Stream.fromAsyncIterable(endingWith(lines, source), unusable(file))
    })
  })
