import { isTagged, loadDirectory } from "../schemas/directory.ts"
import type { Document } from "./document.ts"

/** Every document: the files of `documents/`, one for each `document` endpoint. */
export const documents: ReadonlyArray<Document> = (await loadDirectory(new URL("documents/", import.meta.url))).flatMap(
  ({ exports }) => exports.filter(isTagged<Document>("Document")),
)
