import { existsSync, readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import { isTagged, loadDirectory } from "../schemas/directory.ts"
import type { Parameters } from "../schemas/feed.ts"
import type { Document, Upstream } from "./document.ts"
import { HttpFailed } from "./http-client.port.ts"
import { decodeDocument } from "./poll/read.ts"
import { cleanText } from "./readers/text.ts"
import type { Source } from "./source.ts"

/** Files that describe a folder's captures; they are no captures themselves. */
const ABOUT: ReadonlyArray<string> = ["SOURCE.md", "LEXICONS.md"]
/** Names of files that hold error answers of an upstream; no document has to accept them. */
const REFUSAL = /(^|[^a-z])(errors?|nulls?|empty|not-found|rate-limited)([^a-z]|$)/i
const PROBLEM_MAX_CHARACTERS = 160

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

/** The folders of a directory of captures and their files, sorted. Throws if the directory cannot be read. */
export const listCaptures = (directory: string): ReadonlyArray<CaptureFolder> =>
  readdirSync(directory, { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => ({
      name,
      files: readdirSync(join(directory, name), { withFileTypes: true })
        .filter((entry) => entry.isFile() && !ABOUT.includes(entry.name))
        .map((entry) => entry.name)
        .sort(),
      read: (file: string) => ({ folder: name, file, bytes: readFileSync(join(directory, name, file)) }),
    }))
    .sort((a, b) => (a.name < b.name ? -1 : 1))

/** Which documents of a source accept a capture. */
export interface CaptureVerdict {
  /** The documents that accept it, by name, each with the decoded value. */
  readonly decoded: ReadonlyArray<{ readonly document: string; readonly wire: unknown }>
  /** The reason of each document that does not accept it. */
  readonly problems: ReadonlyArray<string>
  /** Whether the file's name marks an error answer, which no document has to accept. */
  readonly isRefusal: boolean
}

/** Tries every document of a source on a capture. */
export const judgeCapture = (source: Source, { file, bytes }: Capture): CaptureVerdict => {
  const decoded: Array<CaptureVerdict["decoded"][number]> = []
  const problems: Array<string> = []
  for (const [name, document] of Object.entries(source.documents)) {
    const result = decodeDocument(name, document, bytes)
    if (Result.isSuccess(result)) decoded.push({ document: name, wire: result.success })
    else problems.push(`${name}: ${cleanText(result.failure.problem, PROBLEM_MAX_CHARACTERS)}`)
  }
  return { decoded, problems, isRefusal: REFUSAL.test(file) }
}

/** One line of the report, and whether it is a failure. */
export interface CaptureLine {
  /** `folder/file`; the folder alone if no source is recorded there. */
  readonly path: string
  readonly text: string
  readonly failed: boolean
}

/** The sources whose answers are recorded in a folder. */
export const sourcesRecordedIn = (folder: string, sources: ReadonlyArray<Source>): ReadonlyArray<Source> =>
  sources.filter(({ recordedIn }) => recordedIn === folder)

/** The line of a capture: the documents that accept it, by source where the folder has several. */
const lineOf = (path: string, capture: Capture, sources: ReadonlyArray<Source>): CaptureLine => {
  const verdicts = sources.map((source) => ({ ...judgeCapture(source, capture), source: source.name }))
  const named = (source: string, text: string) => (sources.length > 1 ? `${source} ${text}` : text)
  const accepted = verdicts.flatMap(({ source, decoded }) => decoded.map(({ document }) => named(source, document)))
  if (accepted.length > 0) return { path, text: `ok    ${path}: ${accepted.join(", ")}`, failed: false }
  const problems = verdicts.flatMap(({ source, problems }) => problems.map((problem) => named(source, problem)))
  const why = problems.join("; ") || "the source has no documents"
  return verdicts.some(({ isRefusal }) => isRefusal)
    ? { path, text: `ok    ${path}: accepted by none, an error answer by its name (${why})`, failed: false }
    : { path, text: `FAIL  ${path}: ${why}`, failed: true }
}

/**
 * Reports each file of each folder that holds the answers of a source (the documents that accept it, or why none does), and
 * each folder without a source. A file that no document accepts is a failure, unless its name marks an error answer.
 */
export const reportCaptures = (directory: string, sources: ReadonlyArray<Source>): ReadonlyArray<CaptureLine> =>
  listCaptures(directory).flatMap(({ name, files, read }): ReadonlyArray<CaptureLine> => {
    const recorded = sourcesRecordedIn(name, sources)
    return recorded.length === 0
      ? [{ path: name, text: `-     ${name}: no source is recorded here`, failed: false }]
      : files.map((file) => lineOf(`${name}/${file}`, read(file), recorded))
  })

/** The decoded values of captures by the document that accepts them, in the order of the captures. */
export type DecodedCaptures = ReadonlyMap<Document, ReadonlyArray<unknown>>

/** The decoded captures of a source, by document. */
export const decodedCapturesOf = (source: Source, verdicts: ReadonlyArray<CaptureVerdict>): DecodedCaptures =>
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
 * An upstream that answers with recorded documents: the nth request for a document gets its nth capture, further requests
 * the last one, and a document without captures fails with 404. `urls` holds the address of each request.
 */
export const recordedUpstream = (
  wires: DecodedCaptures,
): { readonly upstream: Upstream; readonly urls: ReadonlyArray<string> } => {
  const urls: Array<string> = []
  const requestsByDocument = new Map<unknown, number>()
  return {
    urls,
    upstream: {
      fetch: <Input, Wire>(document: Document<Input, Wire>, input: Input) =>
        Effect.suspend(() => {
          urls.push(document.url(input))
          // The map holds documents of all types, so their types are erased.
          const answers = wires.get(document as unknown as Document) ?? []
          const turn = requestsByDocument.get(document) ?? 0
          requestsByDocument.set(document, turn + 1)
          return answers.length === 0 || urls.length > ANSWERS_MAX
            ? Effect.fail(absent)
            : Effect.succeed(answers[Math.min(turn, answers.length - 1)] as Wire)
        }),
      probe: () => Effect.succeed({ latencyMs: 12 }),
    },
  }
}

/** A text without case and separators, so that parameter values are found in file names. */
const plain = (text: string): string => text.toLowerCase().replace(/[^a-z0-9.]/g, "")

/** The instance of a capture: by its content, else by its file name, else the first instance of the source. */
export const instanceOfCapture = (source: Source, file: string, wire: unknown): Parameters =>
  source.recordedParameters(wire) ??
  source.instances.find((parameters) =>
    Object.values(parameters).every((value) => plain(file).includes(plain(value))),
  ) ??
  source.instances[0] ??
  {}

/** Documents of an upstream that its source never requests, declared only so that their recorded answers are decoded. */
export interface RecordedDocuments {
  readonly _tag: "RecordedDocuments"
  readonly source: string
  readonly documents: Source["documents"]
}

/** Declares documents of a source that are recorded and never requested. */
export const recordedDocuments = (
  { name }: Pick<Source, "name">,
  documents: Source["documents"],
): RecordedDocuments => ({ _tag: "RecordedDocuments", source: name, documents })

/** Loads the declarations of a directory; none if it does not exist, as in an installation without tests. */
export const loadRecordedDocuments = async (directory: URL): Promise<ReadonlyArray<RecordedDocuments>> =>
  existsSync(directory)
    ? (await loadDirectory(directory)).flatMap(({ exports }) =>
        exports.filter(isTagged<RecordedDocuments>("RecordedDocuments")),
      )
    : []

/** The sources, each with its recorded documents beside those that it requests. */
export const withRecordedDocuments = (
  sources: ReadonlyArray<Source>,
  recorded: ReadonlyArray<RecordedDocuments>,
): ReadonlyArray<Source> =>
  sources.map((source) => ({
    ...source,
    documents: Object.assign(
      {},
      ...recorded.filter((one) => one.source === source.name).map(({ documents }) => documents),
      source.documents,
    ),
  }))
