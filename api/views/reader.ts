import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import { VIEW_BODY_VERSION, VIEW_FRESHNESS_VERSION, ViewFreshness, viewDataBytes } from "../../schemas/view-record.ts"
import type { DataText } from "./compose.ts"

/** A decoded record of `views`. */
export type ViewRecord =
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
