import { isTagged, loadDirectory } from "../schemas/directory.ts"
import type { Processor } from "./processor.ts"
import type { Table, TableView } from "./table.ts"
import type { View } from "./view.ts"

const [viewModules, tableModules] = await Promise.all([
  loadDirectory(new URL("views/", import.meta.url)),
  loadDirectory(new URL("tables/", import.meta.url), "table.ts"),
])

/** Every view: the files of `views/`, one each. */
export const views: ReadonlyArray<View> = viewModules.flatMap(({ exports }) => exports.filter(isTagged<View>("View")))

/** Every table: the folders of `tables/`, one each. */
export const tables: ReadonlyArray<Table> = tableModules.flatMap(({ exports }) =>
  exports.filter(isTagged<Table>("Table")),
)

/** Every view of ClickHouse over a table: the folders of `tables/` that declare one. */
export const tableViews: ReadonlyArray<TableView> = tableModules.flatMap(({ exports }) =>
  exports.filter(isTagged<TableView>("TableView")),
)

/** Every fold: the files of `folds/`, one each. Loaded apart, as the fold of views reads the list of views. */
export const loadProcessors = async (): Promise<ReadonlyArray<Processor>> =>
  (await loadDirectory(new URL("folds/", import.meta.url))).flatMap(({ exports }) =>
    exports.filter(isTagged<Processor>("Processor")),
  )
