import type { DerivedView } from "../../processors/derived-view.ts"
import { VERDICTS } from "../../processors/held-view.ts"
import { tables } from "../../processors/registry.ts"
import { feedEndpoints } from "./feed-endpoints.ts"

/** A view that no file defines, with the tables that it reads; none for one that holds its own rows. */
interface ViewOver {
  readonly view: DerivedView
  readonly over: ReadonlyArray<string>
}

/** Every view that no file defines. */
export const derivedViews: ReadonlyArray<ViewOver> = [
  ...tables.flatMap(
    ({ name, now, held }): ReadonlyArray<ViewOver> => [
      ...(now === null ? [] : [{ view: now, over: [name] }]),
      ...(held === null ? [] : [{ view: held, over: [name, VERDICTS] }]),
    ],
  ),
  { view: feedEndpoints, over: [] },
]
