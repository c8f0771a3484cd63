import type { DerivedView } from "../../processors/now-view.ts"
import { tables } from "../../processors/registry.ts"
import { feedEndpoints } from "./feed-endpoints.ts"

/** Every view that no file defines, with the table that it is over; null for one that holds its own rows. */
export const derivedViews: ReadonlyArray<{ readonly view: DerivedView; readonly over: string | null }> = [
  ...tables.flatMap(({ name, now }) => (now === null ? [] : [{ view: now, over: name }])),
  { view: feedEndpoints, over: null },
]
