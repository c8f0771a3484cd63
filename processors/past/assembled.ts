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
 * The value that versions give in their order; undefined where one of them is missing or damaged, which the hash of the last patch
 * shows: hashing what each of them gives would take longer than all else, for a large view.
 */
const assembled = (rows: ReadonlyArray<VersionRow>): Uint8Array | null | undefined => {
  let value: Uint8Array | null | undefined
  let lastHash: string | null = null
  for (const { form, hash, value: text } of rows) {
    if (form !== "patch") {
      value = form === "removed" ? null : Buffer.from(text)
      lastHash = null
    }
    // What precedes the first whole version among the rows.
    else if (value === undefined) continue
    else {
      const end = text.indexOf("\n")
      const parts = partsOf(planIn(text.slice(0, end)), Buffer.from(text.slice(end + 1), "latin1"))
      const patched = parts === null || value === null ? null : applyPatch(value, { parts })
      if (patched === null) return undefined
      value = patched
      lastHash = hash
    }
  }
  const isDamaged = lastHash !== null && (value == null || valueHash(value).slice(0, HASH_CHARACTERS) !== lastHash)
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
