import { readdirSync } from "node:fs"
import { isTagged, loadDirectory } from "../schemas/directory.ts"
import { feeds } from "../schemas/registry.ts"
import { TABLES } from "./ddl.ts"
import type { Processor } from "./processor.ts"
import { type Table, type TableView, tableOfFeed } from "./table.ts"
import type { FoldedView, View } from "./view/view.ts"

const [viewModules, tableModules] = await Promise.all([
  loadDirectory(new URL("views/", import.meta.url)),
  loadDirectory(TABLES, "table.ts"),
])

/** Every view that the fold `latest` builds: the files of `views/` that declare one. */
export const views: ReadonlyArray<View> = viewModules.flatMap(({ exports }) => exports.filter(isTagged<View>("View")))

/** Every view that a processor of its own builds: the other files of `views/`. */
export const foldedViews: ReadonlyArray<FoldedView> = viewModules.flatMap(({ exports }) =>
  exports.filter(isTagged<FoldedView>("FoldedView")),
)

/** Every view of feeds, whichever processor builds it. */
export const feedViews: ReadonlyArray<View | FoldedView> = [...views, ...foldedViews]

const declaring = new Map(tableModules.map(({ name, exports }) => [name, exports]))

/** The table of a folder that holds its DDL alone. Throws where there is no feed of its name. */
const tableNamed = (name: string): Table => {
  const feed = feeds.get(name.replaceAll("_", "-"))
  if (feed === undefined) throw new TypeError(`tables/${name} declares no table.ts, and there is no feed of its name`)
  return tableOfFeed(feed)
}

/** Every table: one for each folder of `tables/`. */
export const tables: ReadonlyArray<Table> = readdirSync(TABLES)
  .sort()
  .flatMap((name) => declaring.get(name)?.filter(isTagged<Table>("Table")) ?? [tableNamed(name)])

/** Every view of ClickHouse over a table: the folders of `tables/` that declare one. */
export const tableViews: ReadonlyArray<TableView> = tableModules.flatMap(({ exports }) =>
  exports.filter(isTagged<TableView>("TableView")),
)

/** Every fold: one for each file of `folds/`. Loaded by a call, because the fold of views imports this registry. */
export const loadProcessors = async (): Promise<ReadonlyArray<Processor>> =>
  (await loadDirectory(new URL("folds/", import.meta.url))).flatMap(({ exports }) =>
    exports.filter(isTagged<Processor>("Processor")),
  )
