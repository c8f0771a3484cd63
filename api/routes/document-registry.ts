import { isTagged, loadDirectory } from "../../schemas/directory.ts"
import type { Document, LiveDocument } from "./document.ts"

/** Every document: the files of `documents/`, one for each `document` endpoint. */
export const documents: ReadonlyArray<Document | LiveDocument> = (
  await loadDirectory(new URL("../documents/", import.meta.url))
).flatMap(({ exports }) => [
  ...exports.filter(isTagged<Document>("Document")),
  ...exports.filter(isTagged<LiveDocument>("LiveDocument")),
])
