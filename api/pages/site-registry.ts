import { isTagged, loadDirectory } from "../../schemas/directory.ts"
import type { SitePage } from "./site-page.ts"

/** Every page for people that is no endpoint of the contract: the files of `site/`. */
export const sitePages: ReadonlyArray<SitePage> = (await loadDirectory(new URL("site/", import.meta.url))).flatMap(
  ({ exports }) => exports.filter(isTagged<SitePage>("SitePage")),
)
