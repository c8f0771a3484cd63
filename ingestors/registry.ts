import { isTagged, loadDirectory } from "../schemas/directory.ts"
import type { Source } from "./source.ts"

/** Every source: the files of `sources/`, one each. */
export const sources: ReadonlyArray<Source> = (await loadDirectory(new URL("sources/", import.meta.url))).flatMap(
  ({ exports }) => exports.filter(isTagged<Source>("Source")),
)
