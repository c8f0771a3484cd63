import { isTagged, loadDirectory } from "../schemas/directory.ts"
import type { Processor } from "./processor.ts"
import type { Table, TableView } from "./table.ts"
import type { FoldedView, View } from "./view/view.ts"

const [viewModules, tableModules] = await Promise.all([
  loadDirectory(new URL("views/", import.meta.url)),
  loadDirectory(new URL("tables/", import.meta.url), "table.ts"),
])

/** Every view that the fold `latest` builds: the files of `views/` that declare one. */
export const views: ReadonlyArray<View> = viewModules.flatMap(({ exports }) => exports.filter(isTagged<View>("View")))

/** Every view that a processor of its own builds: the other files of `views/`. */
export const foldedViews: ReadonlyArray<FoldedView> = viewModules.flatMap(({ exports }) =>
  exports.filter(isTagged<FoldedView>("FoldedView")),
)

/** Every view of feeds, whichever processor builds it. */
export const feedViews: ReadonlyArray<View | FoldedView> = [...views, ...foldedViews]

/** Every table: one for each folder of `tables/`. */
export const tables: ReadonlyArray<Table> = tableModules.flatMap(({ exports }) =>
  exports.filter(isTagged<Table>("Table")),
)

/** Every view of ClickHouse over a table: the folders of `tables/` that declare one. */
export const tableViews: ReadonlyArray<TableView> = tableModules.flatMap(({ exports }) =>
  exports.filter(isTagged<TableView>("TableView")),
)

/** Every fold: one for each file of `folds/`. Loaded by a call, because the fold of views imports this registry. */
export const loadProcessors = async (): Promise<ReadonlyArray<Processor>> =>
  (await loadDirectory(new URL("folds/", import.meta.url))).flatMap(({ exports }) =>
    exports.filter(isTagged<Processor>("Processor")),
  )
