import * as Effect from "effect/Effect"
import { type Cursor, cursorText } from "../../schemas/change.ts"
import type { PastMeta } from "../../schemas/contract/reply.ts"
import { instant } from "../../schemas/event.ts"
import { type Past, type PastRecords, VersionDamaged } from "../../schemas/ports/past.ts"
import type { ViewFreshness } from "../../schemas/view-record.ts"
import type { ProblemReply } from "../http/problems.ts"
import { credited, type DataText } from "../views/compose.ts"
import { readViewRecord } from "../views/records.ts"
import { beforeHistory, withdrawn } from "./refusals.ts"

/** The past of views, and what of it may be shown today. */
export interface PastSource {
  readonly views: Past
  /** Whether what a provider gave may be shown today: its source is not off, and its terms still allow it. */
  readonly isShown: (provider: string) => boolean
  /** How many purges of feeds this process knows, which `views.purges` has then: what was made before may not be shown. */
  readonly purgesOfFeeds?: () => number
  /** The lines of credit that terms require today, by the names of sources. */
  readonly credits: ReadonlyMap<string, string>
}

/** A view that may be shown. */
export interface KnownView {
  readonly _tag: "View"
  readonly data: DataText | null
  readonly freshness: ViewFreshness | null
}

/** Why a past is not shown. */
export type RefusedPast = { readonly _tag: "Refused"; readonly problem: ProblemReply }

/** Declares a refusal. */
export const refused = (problem: ProblemReply): RefusedPast => ({ _tag: "Refused", problem })

/** A view as it was known at a settled instant, with the last change by then; or why it cannot be shown. */
export const knownViewAt = Effect.fnUntraced(function* (source: PastSource, key: string, atMs: number) {
  const { views } = source
  const known = yield* views.knownAt(key, atMs)
  if (known === null) return refused(beforeHistory((yield* views.firstMs([key])).get(key) ?? null))
  const view = shownNow(source, key, atMs, known.records)
  if (view instanceof VersionDamaged) return yield* view
  return view._tag === "Refused" ? view : { ...view, change: known.change }
})

/** The views of several keys as they were known at one settled instant, in their order, each or why it cannot be shown. */
export const knownViewsAt = Effect.fnUntraced(function* (
  source: PastSource,
  keys: ReadonlyArray<string>,
  atMs: number,
) {
  const { views } = source
  const records = yield* views.recordsTogether(keys, atMs)
  const missing = keys.filter((key) => !records.has(key))
  const firsts = missing.length === 0 ? new Map<string, number>() : yield* views.firstMs(missing)
  return keys.map((key) => {
    const known = records.get(key)
    if (known === undefined) return refused(beforeHistory(firsts.get(key) ?? null))
    return known instanceof VersionDamaged ? known : shownNow(source, key, atMs, known)
  })
})

/** What records hold, where it may be shown today. */
const shownNow = (
  { isShown, credits }: PastSource,
  key: string,
  atMs: number,
  records: PastRecords,
): KnownView | RefusedPast | VersionDamaged => {
  const view = viewOf(records)
  if (view === null) return new VersionDamaged({ view: key, atMs })
  const hasGone = view.freshness?.sources.some(
    ({ name, fallback_source, status }) => status !== null && !isShown(fallback_source ?? name),
  )
  if (hasGone === true) return refused(withdrawn())
  return { _tag: "View", data: view.data, freshness: credited(view.freshness, credits) }
}

/** What a reply of a settled instant says of it. `change`: the last one by then. */
export const metaOf = (requested: string, atMs: number, change: Cursor | null): PastMeta => ({
  requested,
  known_at: instant(atMs),
  cursor: change === null ? null : cursorText(change),
})

/** Data and freshness of the records of a view; null where this release cannot read them. */
const viewOf = ({ body, freshness }: PastRecords): Pick<KnownView, "data" | "freshness"> | null => {
  const read = {
    body: body === null ? null : readViewRecord("body", body),
    freshness: freshness === null ? null : readViewRecord("freshness", freshness),
  }
  if (read.body !== null && read.body._tag !== "Body") return null
  if (read.freshness !== null && read.freshness._tag !== "Freshness") return null
  return { data: read.body?.data ?? null, freshness: read.freshness?.freshness ?? null }
}
