import { cursorText } from "../../schemas/change.ts"
import { makeKeepsPast } from "../../schemas/contract/past.ts"
import { instant, makeEvent } from "../../schemas/event.ts"
import { type ViewVersion, viewsChanged } from "../../schemas/events/versions.ts"
import type { LogRecord } from "../../schemas/ports/event-log.ts"
import { endpoints } from "../../schemas/registry.ts"
import { decodePatch, parsePatchKey, planOf } from "../../schemas/value-patch.ts"
import { parseViewRecordKey } from "../../schemas/view-record.ts"
import type { Position } from "../run/checkpoint.ts"

// Topic `views` keeps the last value of each view. What each was before stands in `versions`: every commit that changes views
// says there what they are from then on, as the same patches.

/** The characters of a hash that a version holds: enough to find that a version between is missing. */
export const HASH_CHARACTERS = 8

/** How often a fold that changes nothing says that it does not, in milliseconds of event time. */
export const SETTLES_EVERY_MS = 60_000

/** Whether the past of a view is kept, by its key. */
const keepsPast: (viewKey: string) => boolean = makeKeepsPast(endpoints)

const encoder = new TextEncoder()
const decoder = new TextDecoder()

/** The version that a record of `views` makes; null for one that removes a patch, and for views whose past is not kept. */
const versionOf = ({ key, value }: LogRecord, isKept: (viewKey: string) => boolean): ViewVersion | null => {
  const patched = parsePatchKey(key)
  const { viewKey: view, part } = parseViewRecordKey(patched?.valueKey ?? key)
  if ((patched !== null && value === null) || !isKept(view)) return null
  if (value === null) return { view, part, whole: null }
  const patch = patched === null ? null : decodePatch(value)
  if (patch === null) return { view, part, whole: decoder.decode(value) }
  const { plan, own } = planOf(patch.parts)
  return { view, part, patch: { plan, own: own.toString("latin1"), hash: patch.after.slice(0, HASH_CHARACTERS) } }
}

/** What a commit says of the views that it changes. */
export interface VersionsOf {
  readonly processor: string
  /** Where the fold stands with this commit. */
  readonly position: Pick<Position, "lastEventId" | "nowMs" | "lastChange">
  /** The number of the last change before this commit; absent where the commit numbers none. */
  readonly changesFrom?: number
  /** Whether it says that nothing before its time changes any more. */
  readonly settles: boolean
  /** Tells apart what a rebuild writes at one position. */
  readonly part?: string
}

/**
 * The record of `versions` that stands in a commit with these records of other topics; null where it changes no view whose past
 * is kept, and settles nothing.
 */
export const versionsRecord = (
  records: ReadonlyArray<LogRecord>,
  { processor, position, changesFrom, settles, part = "" }: VersionsOf,
  isKept: (viewKey: string) => boolean = keepsPast,
): LogRecord | null => {
  const versions = records.flatMap((record) => (record.topic === "views" ? (versionOf(record, isKept) ?? []) : []))
  const { lastChange } = position
  const change =
    lastChange !== null && changesFrom !== undefined && lastChange.ordinal > changesFrom ? lastChange : null
  if (versions.length === 0 && change === null && !settles) return null
  const event = makeEvent(viewsChanged, {
    id: `${position.lastEventId}/${processor}/views${part}`,
    source: "tidewire/processor",
    subject: processor,
    time: instant(position.nowMs),
    data: {
      processor,
      ...(settles ? ({ settles } as const) : {}),
      ...(change === null ? {} : { change: cursorText(change) }),
      versions,
    },
  })
  return { topic: viewsChanged.topic, key: processor, value: encoder.encode(JSON.stringify(event)) }
}
