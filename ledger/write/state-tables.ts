import { LRUCache } from "lru-cache"
import type { OrderedTable, Table } from "../fold/state.ts"
import type { HeldStore, RowChange, RowKey } from "../state-store.port.ts"

/** A table that collects its changes until they are written. */
export interface WriteBehind {
  /** The changes since the last `take`, as rows. They count as being written until `written` is called. */
  readonly take: () => ReadonlyArray<RowChange>
  /** Ends the write of the rows that were taken; after a failure they count as unwritten again. */
  readonly written: (done: boolean) => void
  /** Changes since the last `take`. */
  readonly changes: () => number
  /** Values in memory. */
  readonly held: () => number
}

/**
 * A table on disk. In memory are the most recently used values, at most `heldMax`, the unwritten changes, and those that
 * are being written. Everything else is read on demand.
 */
export const makeStoredTable = <Key extends RowKey, Value extends NonNullable<unknown>>(
  name: string,
  store: HeldStore,
  heldMax: number,
): Table<Key, Value> & WriteBehind => {
  // Not `max`: that allocates room for all values at once.
  const held = new LRUCache<Key, Value>({ maxSize: heldMax, sizeCalculation: () => 1 })
  let changed = new Map<Key, Value | undefined>()
  let writing: ReadonlyMap<Key, Value | undefined> = new Map()

  const get = (key: Key): Value | undefined => {
    const found = held.get(key)
    if (found !== undefined) return found
    if (changed.has(key)) return changed.get(key)
    if (writing.has(key)) return writing.get(key)
    // The store has checked the row, and only values of this table are written to it.
    const row = store.get(name, key) as Value | undefined
    if (row !== undefined) held.set(key, row)
    return row
  }
  return {
    get,
    has: (key) => get(key) !== undefined,
    set: (key, value) => {
      held.set(key, value)
      changed.set(key, value)
    },
    delete: (key) => {
      held.delete(key)
      changed.set(key, undefined)
    },
    *entries() {
      for (const [key, row] of store.rows(name) as Iterable<readonly [Key, Value]>)
        if (!changed.has(key) && !writing.has(key)) yield [key, row]
      for (const [key, value] of writing) if (value !== undefined && !changed.has(key)) yield [key, value]
      for (const [key, value] of changed) if (value !== undefined) yield [key, value]
    },
    take: () => {
      writing = changed
      changed = new Map()
      return Array.from(writing, ([key, value]) => ({ table: name, key, value }))
    },
    written: (done) => {
      if (!done) for (const [key, value] of writing) if (!changed.has(key)) changed.set(key, value)
      writing = new Map()
    },
    changes: () => changed.size,
    held: () => held.size + changed.size + writing.size,
  }
}

/** Values of an ordered table that share a row. */
const PAGE_VALUES = 64

/**
 * A table that is held in memory whole, in the order in which its keys were added. On disk, consecutive values share a row,
 * so that keys that come and go in order cost a fraction of a row each. It is read when it is opened.
 */
export const makeStoredOrder = <Value>(name: string, store: HeldStore): OrderedTable<Value> & WriteBehind => {
  const values = new Map<string, { readonly place: number; readonly value: Value }>()
  const keys = new Map<number, string>()
  let next = 0
  let changes = 0
  let changed = new Set<number>()
  let writing: ReadonlySet<number> = new Set()

  type Page = ReadonlyArray<readonly [place: number, key: string, value: Value]>
  for (const [, page] of store.rows(name) as Iterable<readonly [number, Page]>)
    for (const [place, key, value] of page) {
      values.set(key, { place, value })
      keys.set(place, key)
      next = place + 1
    }

  const pageOf = (number: number): Page | undefined => {
    const page: Array<Page[number]> = []
    for (let place = number * PAGE_VALUES; place < (number + 1) * PAGE_VALUES; place++) {
      const key = keys.get(place)
      const found = key === undefined ? undefined : values.get(key)
      if (key !== undefined && found !== undefined) page.push([place, key, found.value])
    }
    return page.length === 0 ? undefined : page
  }
  const touch = (place: number): void => {
    changes += 1
    changed.add(Math.floor(place / PAGE_VALUES))
  }
  return {
    get size() {
      return values.size
    },
    get: (key) => values.get(key)?.value,
    has: (key) => values.has(key),
    set: (key, value) => {
      const place = values.get(key)?.place ?? next
      if (place === next) next += 1
      values.set(key, { place, value })
      keys.set(place, key)
      touch(place)
    },
    delete: (key) => {
      const found = values.get(key)
      if (found === undefined) return
      values.delete(key)
      keys.delete(found.place)
      touch(found.place)
    },
    *entries() {
      for (const [key, { value }] of values) yield [key, value]
    },
    take: () => {
      writing = changed
      changed = new Set()
      changes = 0
      return Array.from(writing, (number) => ({ table: name, key: number, value: pageOf(number) }))
    },
    written: (done) => {
      if (!done) for (const number of writing) changed.add(number)
      writing = new Set()
    },
    changes: () => changes,
    held: () => values.size,
  }
}
