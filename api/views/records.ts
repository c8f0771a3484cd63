import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import { parseInstanceKey } from "../../schemas/feed.ts"
import type { StoredRecord } from "../../schemas/ports/event-log.ts"
import { makePatchedValues } from "../../schemas/value-patch.ts"
import {
  parseViewRecordKey,
  VIEW_BODY_VERSION,
  VIEW_FRESHNESS_VERSION,
  ViewFreshness,
  viewDataBytes,
} from "../../schemas/view-record.ts"
import type { DataText } from "./compose.ts"

/** A change of a view by a record. Absent members stay as they are. */
export interface RecordedChange {
  readonly viewKey: string
  readonly data?: DataText | null
  readonly freshness?: ViewFreshness | null
}

/** A record at which reading halts, and why. */
interface RefusedRecord {
  readonly key: string
  readonly problem: string
}

/**
 * Reads the records of topic `views`: puts patches together, decodes bodies and freshnesses, and remembers what could not be
 * read. A damaged record stops its view alone, which keeps its last good value until its key is written anew.
 */
export class ViewRecords {
  readonly #values = makePatchedValues()
  /** Why the value of a log key could not be read. */
  readonly #unread = new Map<string, string>()
  /** Freshness that came while the body of its view could not be read: it is not the age of the body that is served. */
  readonly #heldFreshness = new Map<string, ViewFreshness | null>()

  /**
   * Applies records in their order, and calls `change` with what each changes: with neither member where it changes nothing. Returns the record
   * of another version at which it stopped; null where there was none.
   */
  apply(records: ReadonlyArray<StoredRecord>, change: (changed: RecordedChange) => void): RefusedRecord | null {
    for (const record of records) this.#values.apply(record)
    const changed = this.#values.changed()
    // Of a view with both, the body comes first: the freshness is that of this body.
    for (const part of ["body", "freshness"] as const)
      for (const { key, value } of changed) {
        if (parseViewRecordKey(key).part !== part) continue
        const problem = this.#applyValue(key, value, change)
        if (problem !== null) return { key, problem }
      }
    return null
  }

  /** Whether a value lacks the base of its patches, and a record may follow that replaces it. */
  get awaitsWhole(): boolean {
    for (const key of this.#values.broken.keys()) if (!this.#unread.has(key)) return true
    return false
  }

  /** Counts the values that lack the base of their patches as damaged: the log holds nothing that replaces them. */
  stopBroken(): void {
    for (const key of this.#values.broken.keys())
      if (!this.#unread.has(key)) this.#unread.set(key, "the log lacks the base of its patches")
  }

  /** Views of these endpoints whose last record could not be read, and why. */
  stoppedOf(endpoints: { readonly has: (path: string) => boolean }): ReadonlyMap<string, string> {
    const stopped = new Map<string, string>()
    for (const [key, problem] of this.#unread) {
      const { viewKey } = parseViewRecordKey(key)
      if (endpoints.has(parseInstanceKey(viewKey).name)) stopped.set(viewKey, problem)
    }
    return stopped
  }

  /** Returns why reading must halt; null where it goes on. */
  #applyValue(key: string, value: Uint8Array | null, change: (changed: RecordedChange) => void): string | null {
    const { viewKey, part } = parseViewRecordKey(key)
    const read = value === null ? null : readViewRecord(part, value)
    if (read?._tag === "Refused") return read.problem
    if (read?._tag === "Unreadable") {
      this.#unread.set(key, read.problem)
      change({ viewKey })
      return null
    }
    this.#unread.delete(key)
    if (part === "body") {
      const data = read?._tag === "Body" ? read.data : null
      const held = this.#heldFreshness.get(viewKey)
      this.#heldFreshness.delete(viewKey)
      change({ viewKey, data, ...(held === undefined ? {} : { freshness: held }) })
      return null
    }
    const freshness = read?._tag === "Freshness" ? read.freshness : null
    const isHeld = this.#unread.has(viewKey) || this.#values.broken.has(viewKey)
    if (isHeld) this.#heldFreshness.set(viewKey, freshness)
    change(isHeld ? { viewKey } : { viewKey, freshness })
    return null
  }
}

/** A decoded record of `views`. */
type ViewRecord =
  | { readonly _tag: "Body"; readonly data: DataText }
  | { readonly _tag: "Freshness"; readonly freshness: ViewFreshness }
  /** Of another version: there may be more of its kind, in any record. */
  | { readonly _tag: "Refused"; readonly problem: string }
  /** Damaged. */
  | { readonly _tag: "Unreadable"; readonly problem: string }

const decodeFreshness = Schema.decodeUnknownResult(ViewFreshness)
const refused = (problem: string): ViewRecord => ({ _tag: "Refused", problem })
const unreadable = (problem: string): ViewRecord => ({ _tag: "Unreadable", problem })

/**
 * Decodes a record. A body's data is not validated against its schema again, as the fold did that and bodies are large; its
 * bytes share the memory of `value`, which must not change. An unsupported version is refused.
 */
export const readViewRecord = (part: "body" | "freshness", value: Uint8Array): ViewRecord => {
  let parsed: unknown
  try {
    parsed = JSON.parse(Buffer.from(value.buffer, value.byteOffset, value.byteLength).toString())
  } catch {
    return unreadable("is not JSON")
  }
  if (typeof parsed !== "object" || parsed === null || !("v" in parsed)) return unreadable("has no version")
  const known = part === "body" ? VIEW_BODY_VERSION : VIEW_FRESHNESS_VERSION
  if (typeof parsed.v === "number" && parsed.v < known)
    return refused("was written by a version before the first release: begin with an empty log")
  if (typeof parsed.v === "number" && parsed.v > known) return refused("is newer than this version of the service")
  if (parsed.v !== known) return unreadable("has no version")
  if (part === "freshness") {
    const decoded = decodeFreshness(parsed)
    return Result.isSuccess(decoded)
      ? { _tag: "Freshness", freshness: decoded.success }
      : unreadable("does not fit its version")
  }
  if (!("data" in parsed) || !("changedAt" in parsed) || typeof parsed.changedAt !== "string")
    return unreadable("does not fit its version")
  const { changedAt } = parsed
  return {
    _tag: "Body",
    data: {
      changedAt,
      bytes: viewDataBytes({ v: VIEW_BODY_VERSION, changedAt }, value) ?? Buffer.from(JSON.stringify(parsed.data)),
    },
  }
}
