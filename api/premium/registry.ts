import { isTagged, loadDirectory } from "../../schemas/directory.ts"
import type { HistoryQuery } from "./query.ts"

/** All queries of the history: the files of `queries/`, one for each `queried` endpoint. */
export const queries: ReadonlyArray<HistoryQuery> = (await loadDirectory(new URL("queries/", import.meta.url))).flatMap(
  ({ exports }) => exports.filter(isTagged<HistoryQuery>("Query")),
)
