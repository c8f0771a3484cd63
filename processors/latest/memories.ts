import type { Json } from "../../schemas/json.ts"
import type { StateChange } from "../processor.ts"

/** The numbers of a memory's entries: from `first` on and before `next`. */
type Span = { readonly first: number; readonly next: number }

/** The state keys of a memory: of its span, and of each entry. */
export const memoryKeys = {
  memory: (memory: string) => `memory/${memory}`,
  entry: (memory: string, number: number) => `entry/${memory}/${number}`,
} as const

type Get = <Value>(key: string) => Value | undefined

/** The part of a step's draft that a memory is read from and written to. */
interface Writable {
  readonly get: Get
  readonly set: (...change: StateChange) => void
}

/** The entries of each span that stands in a state, so that they are not looked up one by one at each build. */
const entriesBySpan = new WeakMap<Span, ReadonlyArray<Json>>()

/** The entries of a memory, oldest first; undefined before it has begun. */
export const entriesIn = (get: Get, memory: string): ReadonlyArray<Json> | undefined => {
  const span = get<Span>(memoryKeys.memory(memory))
  if (span === undefined) return undefined
  const known = entriesBySpan.get(span)
  if (known !== undefined) return known
  const entries = Array.from(
    { length: span.next - span.first },
    // Span and entries are written in one step.
    (_, index) => get<Json>(memoryKeys.entry(memory, span.first + index)) as Json,
  )
  entriesBySpan.set(span, entries)
  return entries
}

/**
 * Writes the entries of a memory: those that `after` has behind the ones of `before`, and removes those that it no longer
 * begins with. Each entry has a key of its own, so that a poll writes what it adds, however much is remembered.
 */
export const setEntries = (
  to: Writable,
  memory: string,
  before: ReadonlyArray<Json>,
  after: ReadonlyArray<Json>,
): void => {
  const { first, next } = to.get<Span>(memoryKeys.memory(memory)) ?? { first: 0, next: 0 }
  const [oldest] = after
  const found = oldest === undefined ? -1 : before.indexOf(oldest)
  const dropped = found === -1 ? before.length : found
  for (let number = first; number < first + dropped; number += 1) to.set(memoryKeys.entry(memory, number), null)
  const added = after.slice(before.length - dropped)
  for (const [index, entry] of added.entries()) to.set(memoryKeys.entry(memory, next + index), entry)
  const span: Span = { first: first + dropped, next: next + added.length }
  to.set(memoryKeys.memory(memory), span)
  entriesBySpan.set(span, after)
}

/** Removes a memory with its entries. */
export const dropMemory = (to: Writable, memory: string): void => {
  const { first, next } = to.get<Span>(memoryKeys.memory(memory)) ?? { first: 0, next: 0 }
  for (let number = first; number < next; number += 1) to.set(memoryKeys.entry(memory, number), null)
  to.set(memoryKeys.memory(memory), null)
}
