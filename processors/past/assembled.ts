import * as Schema from "effect/Schema"
import { instant } from "../../schemas/event.ts"
import { type PastRecords, VersionDamaged } from "../../schemas/ports/past.ts"
import { applyPatch, partsOf, valueHash } from "../../schemas/value-patch.ts"
import { HASH_CHARACTERS } from "./versions.ts"

/** A version of a part of a view: a row of `view_versions`. */
export const VersionRow = Schema.Struct({
  part: Schema.Literals(["body", "freshness"]),
  known_ms: Schema.Int,
  form: Schema.Literals(["whole", "patch", "removed"]),
  hash: Schema.String,
  value: Schema.String,
})
export type VersionRow = typeof VersionRow.Type

/** An instant as ClickHouse reads one of a column in UTC. */
export const timeText = (ms: number): string => instant(ms).slice(0, -1)

/**
 * Memory for values that follow each other, of which each is made from the one before: two, used in turn. Of memory for each of
 * many values in one reply the collector of garbage would work longer than all else.
 */
const makeTwoMemories = () => {
  const memories: [Uint8Array, Uint8Array] = [Buffer.alloc(0), Buffer.alloc(0)]
  return (bytes: number): Uint8Array => {
    const [next, last] = [
      memories[1].length < bytes ? Buffer.allocUnsafe(bytes + (bytes >> 3)) : memories[1],
      memories[0],
    ]
    memories[0] = next
    memories[1] = last
    return next.subarray(0, bytes)
  }
}

/**
 * The value that versions give in their order; undefined where one of them is missing or damaged, which the hash of the last patch
 * shows: hashing what each of them gives would take longer than all else, for a large view.
 */
const assembled = (rows: ReadonlyArray<VersionRow>): Uint8Array | null | undefined => {
  // What precedes the last whole version changes nothing.
  const begin = rows.findLastIndex(({ form }) => form !== "patch")
  const whole = rows[begin]
  if (whole === undefined) return undefined
  const memoryOf = makeTwoMemories()
  let value: Uint8Array | null = whole.form === "removed" ? null : Buffer.from(whole.value)
  for (const { value: text } of rows.slice(begin + 1)) {
    const end = text.indexOf("\n")
    const parts = partsOf(planIn(text.slice(0, end)), Buffer.from(text.slice(end + 1), "latin1"))
    value = parts === null || value === null ? null : applyPatch(value, { parts }, memoryOf)
    if (value === null) return undefined
  }
  const { form, hash } = rows.at(-1) ?? whole
  const isDamaged = form === "patch" && (value === null || valueHash(value).slice(0, HASH_CHARACTERS) !== hash)
  return isDamaged ? undefined : value
}

const planIn = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    return null
  }
}

/** The records of a view at an instant, of its versions until then in their order; or that they cannot be put together. */
export const recordsOf = (
  view: string,
  atMs: number,
  rows: ReadonlyArray<VersionRow>,
): PastRecords | VersionDamaged => {
  const of = Object.groupBy(rows, ({ part }) => part)
  const [body, freshness] = [of.body, of.freshness].map((some) => (some === undefined ? null : assembled(some)))
  if (body === undefined || freshness === undefined) return new VersionDamaged({ view, atMs })
  return { body, freshness, knownMs: Math.max(...rows.map(({ known_ms }) => known_ms)) }
}
