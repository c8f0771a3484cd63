import { existsSync, readFileSync } from "node:fs"
import { resolve } from "node:path"
import * as Result from "effect/Result"
import { loadRecordedDocuments } from "../../../ingestors/captures.ts"
import { decodeDocument } from "../../../ingestors/poll/read.ts"
import type { Source } from "../../../ingestors/source.ts"

/** Where recorded answers lie. */
export const capturesDirectory = resolve(process.env.CAPTURES_DIR ?? "../shared/upstreams")

/** Why the tests of recorded answers are skipped, or null where they run. */
export const capturesAbsent = existsSync(capturesDirectory) ? null : `no captures at ${capturesDirectory}`
if (capturesAbsent !== null) process.stderr.write(`skipped: ${capturesAbsent}\n`)

const recorded = await loadRecordedDocuments(new URL("../../captures/", import.meta.url))

/** A document of a source by its name, among those that it requests and those that are only recorded. */
const documentNamed = ({ name, documents }: Pick<Source, "name" | "documents">, document: string) =>
  documents[document] ?? recorded.find((one) => one.source === name && one.documents[document])?.documents[document]

/** A recorded answer, decoded as a document of its source; `Wire` is the type of that document. */
export const decodedCapture = <Wire>(
  source: Pick<Source, "name" | "documents"> & Partial<Pick<Source, "recordedIn">>,
  document: string,
  file: string,
): Wire => {
  const declared = documentNamed(source, document)
  if (declared === undefined) throw new Error(`${source.name} declares no document ${document}`)
  const bytes = readFileSync(resolve(capturesDirectory, source.recordedIn ?? source.name, file))
  return Result.getOrThrow(decodeDocument(file, declared, bytes)) as Wire
}

/** The same for a source that collects this document alone. */
export const collectedCapture = <Collected, Payload>(
  source: Source<Collected, Payload>,
  document: string,
  file: string,
): Collected => decodedCapture<Collected>(source, document, file)
