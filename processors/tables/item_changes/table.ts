import { parseCursor } from "../../../schemas/change.ts"
import { isInstant } from "../../../schemas/event.ts"
import { itemAppeared, itemChanged, itemGone } from "../../../schemas/events/deltas.ts"
import { instanceKey } from "../../../schemas/feed.ts"
import { feeds } from "../../../schemas/registry.ts"
import { changeTypeOf } from "../../changes/stated.ts"
import { eventsTable } from "../../table.ts"

/** Years within the range of the column. */
const YEAR = /^(19|2[01])\d\d-/

/** When an item happened; null where its feed says no time, or none that the column can hold. */
const happenedAt = (feed: string, item: unknown): string | null => {
  try {
    const at = feeds.get(feed)?.happenedAt(item) ?? null
    return at !== null && isInstant(at) && YEAR.test(at) ? at : null
  } catch {
    // An item in an earlier form of its feed.
    return null
  }
}

export default eventsTable(import.meta.url, {
  types: [itemAppeared, itemChanged, itemGone],
  rows: ({ type, sequence = "", data }) => {
    const cursor = parseCursor(sequence)
    // Changes of a log from before they were numbered have no place.
    if (cursor === null) return []
    const { feed, parameters, provider, key, item, observedAt, simulated = false } = data
    const happened = happenedAt(feed, item)
    return [
      {
        feed,
        event_time: happened ?? observedAt,
        ...cursor,
        instance: instanceKey(feed, parameters),
        type: changeTypeOf[type] ?? "",
        key,
        provider,
        happened_at: happened,
        known_at: observedAt,
        item: JSON.stringify(item),
        before: "before" in data ? JSON.stringify(data.before) : "",
        added: "added" in data ? data.added : [],
        simulated,
      },
    ]
  },
})
