import { existsSync } from "node:fs"
import { isTagged, loadDirectory } from "../schemas/directory.ts"
import type { Source } from "./source.ts"

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
