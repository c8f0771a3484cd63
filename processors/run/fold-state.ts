import type { Json } from "../../schemas/json.ts"
import type { State } from "../processor.ts"

/** The state of a fold in progress. */
export interface FoldState extends State {
  readonly entries: ReadonlyMap<string, Json>
  /** Sets the value of a key; `null` removes the key. */
  readonly set: (key: string, value: Json | null) => void
}

/** The first segment of a key or of a prefix, with its slash; null where it has none. */
const groupOf = (text: string): string | null => {
  const end = text.indexOf("/")
  return end === -1 ? null : text.slice(0, end + 1)
}

/** Makes a state from that of a checkpoint. Keys are grouped by their first segment: `keys` visits those of one group. */
export const makeFoldState = (from: ReadonlyMap<string, Json>): FoldState => {
  const entries = new Map<string, Json>()
  const groups = new Map<string, Set<string>>()
  const state: FoldState = {
    entries,
    get: (key) => entries.get(key),
    keys: (prefix) => {
      const group = groupOf(prefix)
      const keys = group === null ? entries.keys() : (groups.get(group) ?? [])
      return [...keys].filter((key) => key.startsWith(prefix)).sort()
    },
    set: (key, value) => {
      const group = groupOf(key)
      if (value === null) {
        entries.delete(key)
        if (group !== null) groups.get(group)?.delete(key)
        return
      }
      entries.set(key, value)
      if (group === null) return
      const keys = groups.get(group)
      if (keys === undefined) groups.set(group, new Set([key]))
      else keys.add(key)
    },
  }
  for (const [key, value] of from) state.set(key, value)
  return state
}
