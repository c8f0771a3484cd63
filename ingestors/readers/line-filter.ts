import type { BodyFilter } from "../http-client.port.ts"

/** What becomes of a line: it is kept or left out, or neither it nor any after it is of use. */
export type LineVerdict = "keep" | "skip" | "end"

/** A longer line is none of a table: the body is refused. */
const LINE_MAX_BYTES = 64 * 1024
const NEWLINE = 0x0a

/**
 * A filter of a body's lines, for files of which a few lines are of use: those that are kept, each with its end. Lines are
 * judged as Latin-1, since only their beginning matters, and kept as they are.
 */
export const lineFilter = (judge: (line: string) => LineVerdict): BodyFilter => {
  let rest = Buffer.alloc(0)
  let isOver = false
  const judged = (line: Buffer): ReadonlyArray<Buffer> => {
    if (isOver) return []
    const verdict = judge(line.toString("latin1").replace(/\r?\n$/, ""))
    if (verdict === "end") isOver = true
    return verdict === "keep" ? [line] : []
  }
  return {
    push: (piece) => {
      const bytes = rest.byteLength === 0 ? Buffer.from(piece) : Buffer.concat([rest, piece])
      const kept: Array<Buffer> = []
      let begin = 0
      for (let end = bytes.indexOf(NEWLINE); end !== -1 && !isOver; end = bytes.indexOf(NEWLINE, begin)) {
        kept.push(...judged(bytes.subarray(begin, end + 1)))
        begin = end + 1
      }
      rest = bytes.subarray(begin)
      if (!isOver && rest.byteLength > LINE_MAX_BYTES) throw new RangeError("a line is too long")
      return { kept: Buffer.concat(kept), isOver }
    },
    end: () => (rest.byteLength === 0 ? new Uint8Array() : Buffer.concat(judged(rest))),
  }
}
