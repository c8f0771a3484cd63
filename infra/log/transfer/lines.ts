import { open } from "node:fs/promises"
import * as Result from "effect/Result"
import { RECORD_BYTES_MAX } from "../../../schemas/ports/event-log.ts"
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
export async function* linesOf(source: AsyncIterable<string>): AsyncGenerator<string> {
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
export const endsWithTrailer = async (path: string): Promise<boolean> => {
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
