import { cursorText } from "../../schemas/change.ts"
import { makeKeepsPast } from "../../schemas/contract/past.ts"
import { type DataOf, instant, makeEvent } from "../../schemas/event.ts"
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

/** UTF-16 units of the views of one event; a single view may exceed it. */
const EVENT_MAX_UNITS = 1024 * 1024

/** A value of `views` by its key. */
type ViewValues = ReadonlyMap<string, Uint8Array>

/** The month of an instant: a fold writes all of its views at the begin of each. */
export const monthOf = (ms: number): string => instant(ms).slice(0, 7)

/** Where a fold stands that begins a month. */
interface BeginOf {
  readonly processor: string
  /** With the commit that begins it. */
  readonly position: Pick<Position, "lastEventId" | "nowMs">
  /** The last change before that commit; null where none was numbered. */
  readonly lastChange: Position["lastChange"]
}

/**
 * The records of `versions` that begin a month: what the views of a fold were before the commit that they stand in. They come
 * first in it: its own versions are over them.
 */
export const beginRecords = (
  values: ViewValues,
  { processor, position, lastChange }: BeginOf,
  isKept: (viewKey: string) => boolean = keepsPast,
): ReadonlyArray<LogRecord> => {
  const groups: Array<Array<ViewVersion>> = [[]]
  let units = 0
  for (const [key, value] of values) {
    const { viewKey: view, part } = parseViewRecordKey(key)
    if (!isKept(view)) continue
    const whole = decoder.decode(value)
    if (units > 0 && units + whole.length > EVENT_MAX_UNITS) {
      groups.push([])
      units = 0
    }
    groups.at(-1)?.push({ view, part, whole })
    units += whole.length
  }
  return groups.map((versions, index) => {
    const isLast = index === groups.length - 1
    const change = isLast && lastChange !== null ? { change: cursorText(lastChange) } : {}
    const data = { processor, ...(isLast ? ({ begins: true } as const) : {}), ...change, versions }
    return recordOf(processor, position, `/begin/${index}`, data)
  })
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
  return recordOf(processor, position, part, {
    processor,
    ...(settles ? ({ settles } as const) : {}),
    ...(change === null ? {} : { change: cursorText(change) }),
    versions,
  })
}

const recordOf = (
  processor: string,
  { lastEventId, nowMs }: BeginOf["position"],
  part: string,
  data: DataOf<typeof viewsChanged>,
): LogRecord => {
  const event = makeEvent(viewsChanged, {
    id: `${lastEventId}/${processor}/views${part}`,
    source: "tidewire/processor",
    subject: processor,
    time: instant(nowMs),
    data,
  })
  return { topic: viewsChanged.topic, key: processor, value: encoder.encode(JSON.stringify(event)) }
}
