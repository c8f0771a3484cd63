import { readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { Effect, Result } from "effect"
import type { Parameters } from "../schemas/feed.ts"
import { decodeDocument } from "./decode.ts"
import type { Document, Upstream } from "./document.ts"
import { HttpFailed } from "./http-client.port.ts"
import { cleanText } from "./readers/text.ts"
import type { Source } from "./source.ts"

/** Describes where the captures of a folder come from; not a capture itself. */
const ABOUT = "SOURCE.md"
/** Files that an upstream's own refusals were kept in: no document has to accept them. */
const REFUSAL = /(^|[^a-z])(errors?|nulls?|empty|not-found|rate-limited)([^a-z]|$)/i
const PROBLEM_LENGTH_MAX = 160

/** One recorded answer of an upstream. */
export interface Capture {
  readonly folder: string
  readonly file: string
  readonly bytes: Uint8Array
}

/** The recorded answers of one upstream. */
export interface CaptureFolder {
  readonly name: string
  readonly files: ReadonlyArray<string>
  readonly read: (file: string) => Capture
}

/** The folders of a directory of captures and their files, sorted. Throws where the directory cannot be read. */
export const listCaptures = (directory: string): ReadonlyArray<CaptureFolder> =>
  readdirSync(directory, { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => ({
      name,
      files: readdirSync(join(directory, name), { withFileTypes: true })
        .filter((entry) => entry.isFile() && entry.name !== ABOUT)
        .map((entry) => entry.name)
        .sort(),
      read: (file: string) => ({ folder: name, file, bytes: readFileSync(join(directory, name, file)) }),
    }))
    .sort((a, b) => (a.name < b.name ? -1 : 1))

/** What the documents of a source make of a capture. */
export interface Verdict {
  /** The documents that accept it, by name, with what they decode it to. */
  readonly decoded: ReadonlyArray<{ readonly document: string; readonly wire: unknown }>
  /** Why each of the others does not. */
  readonly problems: ReadonlyArray<string>
  /** Whether the file's name says that no document has to accept it. */
  readonly isRefusal: boolean
}

/** Tries every document of a source on a capture. */
export const judgeCapture = (source: Source, { file, bytes }: Capture): Verdict => {
  const decoded: Array<Verdict["decoded"][number]> = []
  const problems: Array<string> = []
  for (const [name, document] of Object.entries(source.documents)) {
    const result = decodeDocument(name, document, bytes)
    if (Result.isSuccess(result)) decoded.push({ document: name, wire: result.success })
    else problems.push(`${name}: ${cleanText(result.failure.problem, PROBLEM_LENGTH_MAX)}`)
  }
  return { decoded, problems, isRefusal: REFUSAL.test(file) }
}

/** One line for people, and whether it is a failure. */
export interface CaptureLine {
  /** `folder/file`; the folder alone where no source is built. */
  readonly path: string
  readonly text: string
  readonly failed: boolean
}

/**
 * A line for each file below each folder that is named as a source (decoded as what, or why not), and one for each folder
 * whose source is not built. A file fails that no document accepts, unless its name says that it is a refusal.
 */
export const reportCaptures = (directory: string, sources: ReadonlyArray<Source>): ReadonlyArray<CaptureLine> => {
  const byName = new Map(sources.map((source) => [source.name, source]))
  return listCaptures(directory).flatMap(({ name, files, read }): ReadonlyArray<CaptureLine> => {
    const source = byName.get(name)
    if (source === undefined) return [{ path: name, text: `-     ${name}: no such source is built`, failed: false }]
    return files.map((file) => {
      const { decoded, problems, isRefusal } = judgeCapture(source, read(file))
      const path = `${name}/${file}`
      if (decoded.length > 0)
        return { path, text: `ok    ${path}: ${decoded.map(({ document }) => document).join(", ")}`, failed: false }
      const why = problems.join("; ") || "the source has no documents"
      return isRefusal
        ? { path, text: `ok    ${path}: accepted by none, as its name says (${why})`, failed: false }
        : { path, text: `FAIL  ${path}: ${why}`, failed: true }
    })
  })
}

/** Documents as recorded answers give them, by document, each with what the captures decode to, in order. */
export type Wires = ReadonlyMap<Document, ReadonlyArray<unknown>>

/** What the captures of a source decode to, by the document that accepts them. */
export const wiresOf = (source: Source, verdicts: ReadonlyArray<Verdict>): Wires =>
  new Map(
    Object.entries(source.documents).map(([name, document]) => [
      document,
      verdicts.flatMap(({ decoded }) => decoded.filter((one) => one.document === name).map(({ wire }) => wire)),
    ]),
  )

const absent = new HttpFailed({
  reason: "status",
  host: "",
  status: 404,
  retryAfterMs: null,
  message: "there is no capture of this document",
})
const ANSWERS_MAX = 256

/**
 * An upstream that answers with recorded documents: the nth question for a document gets its nth answer, further ones the
 * last, and a document without any is not found. `urls` grows with each question.
 */
export const recordedUpstream = (
  wires: Wires,
): { readonly upstream: Upstream; readonly urls: ReadonlyArray<string> } => {
  const urls: Array<string> = []
  const asked = new Map<unknown, number>()
  return {
    urls,
    upstream: {
      fetch: <Input, Wire>(document: Document<Input, Wire>, input: Input) =>
        Effect.suspend(() => {
          urls.push(document.url(input))
          // Sources declare their documents with particular types; a map of all of them cannot keep these.
          const answers = wires.get(document as unknown as Document) ?? []
          const turn = asked.get(document) ?? 0
          asked.set(document, turn + 1)
          return answers.length === 0 || urls.length > ANSWERS_MAX
            ? Effect.fail(absent)
            : Effect.succeed(answers[Math.min(turn, answers.length - 1)] as Wire)
        }),
      probe: () => Effect.succeed({ latencyMs: 12 }),
    },
  }
}

/** A name without case and separators, in which the values of parameters are looked for. */
const plain = (text: string): string => text.toLowerCase().replace(/[^a-z0-9.]/g, "")

/** The instance that a capture is of: as its answer says, else as its file is named, else the first of the source. */
export const instanceOfCapture = (source: Source, file: string, wire: unknown): Parameters =>
  source.recordedParameters(wire) ??
  source.instances.find((parameters) =>
    Object.values(parameters).every((value) => plain(file).includes(plain(value))),
  ) ??
  source.instances[0] ??
  {}
