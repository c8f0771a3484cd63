import {
  DELTAS_WINDOW_MS,
  proWorldDeltasEndpoint,
  type WorldDeltasFull,
  worldDeltaInputs,
} from "../../schemas/endpoints/pro-world-deltas.ts"
import { instant } from "../../schemas/event.ts"
import { deltaPublished } from "../../schemas/events/world-deltas.ts"
import type { Launch } from "../../schemas/feeds/launches.ts"
import type { Json } from "../../schemas/json.ts"
import {
  type LaunchDelta,
  type LearntDelta,
  type WorldDelta,
  type WorldDeltaType,
  worldDeltaTypes,
} from "../../schemas/payloads/world-delta.ts"
import { recordOf } from "../../schemas/record.ts"
import { VIEW_BODY_VERSION } from "../../schemas/view-record.ts"
import { dataPeriodOf, freshnessOf, NO_DATA_PERIOD, partsOf } from "../view/build-view.ts"
import worldDeltas from "../views/pro-world-deltas.ts"
import { LAUNCH_SEVERITY, type UntimedDelta } from "./news.ts"
import { type DeltasDraft, type Published, stateKeys } from "./state.ts"

const MINUTE_MS = 60_000
const PATH = proWorldDeltasEndpoint.path

/** The inputs of the view, with the instance that each reads. */
export const inputs = partsOf(worldDeltas, {}).flatMap(({ name, instances }) =>
  instances.map(({ key }) => ({ name, key })),
)
const instance = { view: worldDeltas, parts: partsOf(worldDeltas, {}) }

const keyOf = (type: WorldDeltaType): string =>
  inputs.find(({ name }) => name === worldDeltaInputs[type])?.key ?? worldDeltaInputs[type]

const isRead = (to: DeltasDraft, type: WorldDeltaType): boolean =>
  (to.readings.feed(keyOf(type))?.good ?? null) !== null

/** Whether any input was ever read. */
const isAnyRead = (to: DeltasDraft): boolean => worldDeltaTypes.some((type) => isRead(to, type))

const log = (to: DeltasDraft, delta: WorldDelta): void => {
  to.events.push({ type: deltaPublished, subject: `${delta.type}/${delta.data.id}`, data: delta })
}

/**
 * Gives events their timestamps, and logs them: event time, or a millisecond more than every timestamp and every `as_of`
 * before, so that no cursor has passed them.
 */
export const learn = (to: DeltasDraft, news: ReadonlyArray<UntimedDelta>, nowMs: number): void => {
  let stamp = to.get<number>(stateKeys.stamp) ?? Number.NEGATIVE_INFINITY
  for (const one of news) {
    stamp = Math.max(nowMs, stamp + 1)
    const { type, ...rest } = one
    // The members of one type, in the order in which they are served.
    const delta = { type, timestamp: instant(stamp), ...rest } as WorldDelta
    to.set(stateKeys.event(delta.timestamp), delta)
    log(to, delta)
  }
  if (news.length > 0) to.set(stateKeys.stamp, stamp)
}

/** Whether a minute of event time has passed since the view was published. */
export const isDue = (to: DeltasDraft, nowMs: number): boolean =>
  isAnyRead(to) && to.get<Published>(stateKeys.published)?.minute !== Math.floor(nowMs / MINUTE_MS)

/** Publishes the data of the view: the last hour of events, and the launches that are near. */
export const publish = (to: DeltasDraft, nowMs: number): void => {
  const asOfMs = Math.max(nowMs, to.get<number>(stateKeys.stamp) ?? nowMs)
  const before = to.get<Published>(stateKeys.published)
  const { kept, dropped, completeSinceMs, droppedMs } = windowAt(to.window(), asOfMs, before?.droppedMs ?? null)
  for (const { timestamp } of dropped) to.set(stateKeys.event(timestamp), null)

  const catalogue = to.get<{ readonly items: ReadonlyArray<Launch> }>(stateKeys.payload(keyOf("space_launch")))
  const launches = nearLaunches(catalogue?.items ?? [], nowMs)
  const logged = new Set(to.get<ReadonlyArray<string>>(stateKeys.launches))
  for (const launch of launches) if (!logged.has(launchState(launch))) log(to, launch)
  to.set(stateKeys.launches, launches.map(launchState))

  to.set(stateKeys.stamp, asOfMs)
  to.set(stateKeys.published, { minute: Math.floor(nowMs / MINUTE_MS), droppedMs } satisfies Published)
  const data: WorldDeltasFull = {
    as_of: instant(asOfMs),
    complete_since: instant(completeSinceMs),
    read: recordOf(worldDeltaTypes, (type) => isRead(to, type)),
    events: kept,
    launches,
  }
  to.views.push({
    key: PATH,
    // Plain JSON by its schema.
    body: { v: VIEW_BODY_VERSION, changedAt: instant(nowMs), data: data as unknown as Json },
  })
}

/** Publishes the freshness of the view. */
export const publishFreshness = (to: DeltasDraft): void => {
  const period = isAnyRead(to) ? dataPeriodOf(instance, to.readings) : NO_DATA_PERIOD
  to.views.push({ key: PATH, freshness: freshnessOf(instance, to.readings, period, false) })
}

/** Events of the window, at most. An hour brings at most 600 of fifty markets, and some dozens of others. */
export const WINDOW_EVENTS_MAX = 2_000
/** UTF-16 units of the window's text, at most: a view may have twice as many. */
export const WINDOW_MAX_UNITS = 2 * 1024 * 1024

/** The window at an instant. */
interface DeltaWindow {
  /** Oldest first. */
  readonly kept: ReadonlyArray<LearntDelta>
  readonly dropped: ReadonlyArray<LearntDelta>
  /** The events after it are all kept, in milliseconds. */
  readonly completeSinceMs: number
  /** The timestamp of the newest event within the hour that was ever dropped for the bounds; null where there is none. */
  readonly droppedMs: number | null
}

/** The number of the newest events that fit the bounds. */
const fitting = (events: ReadonlyArray<LearntDelta>): number => {
  let units = 0
  let count = 0
  for (const event of events.toReversed()) {
    units += JSON.stringify(event).length + 1
    if (count === WINDOW_EVENTS_MAX || units > WINDOW_MAX_UNITS) return count
    count += 1
  }
  return count
}

/**
 * The last hour of the events at an instant. Beyond its bounds the oldest are dropped, and `completeSinceMs` is their
 * end: a `since` before it is raised to it.
 */
export const windowAt = (
  events: ReadonlyArray<LearntDelta>,
  asOfMs: number,
  droppedBeforeMs: number | null,
): DeltaWindow => {
  const beginMs = asOfMs - DELTAS_WINDOW_MS
  const begins = events.findIndex(({ timestamp }) => Date.parse(timestamp) > beginMs)
  const inHour = begins === -1 ? [] : events.slice(begins)
  const kept = inHour.slice(inHour.length - fitting(inHour))
  const excess = inHour[inHour.length - kept.length - 1]
  const droppedMs = excess === undefined ? droppedBeforeMs : Date.parse(excess.timestamp)
  return {
    kept,
    dropped: events.slice(0, events.length - kept.length),
    completeSinceMs: Math.max(beginMs, droppedMs ?? beginMs),
    droppedMs: droppedMs !== null && droppedMs > beginMs ? droppedMs : null,
  }
}

const HOUR_MS = 3_600_000
/** A launch is near from this long before its time ... */
const AHEAD_MS = 12 * HOUR_MS
/** ... to this long after it. */
const BEHIND_MS = HOUR_MS

/** The launches that are near at `nowMs`, the earliest first, as the feed has them. */
export const nearLaunches = (launches: ReadonlyArray<Launch>, nowMs: number): ReadonlyArray<LaunchDelta> =>
  launches.flatMap((launch): ReadonlyArray<LaunchDelta> => {
    const { net, windowStart: start, windowEnd: end } = launch
    if (net === null || Date.parse(net) < nowMs - BEHIND_MS || Date.parse(net) > nowMs + AHEAD_MS) return []
    return [
      {
        type: "space_launch",
        timestamp: net,
        severity: LAUNCH_SEVERITY,
        data: {
          id: launch.id,
          mission: launch.mission,
          vehicle: launch.vehicle,
          provider: launch.provider,
          status: launch.status,
          net,
          net_precision: launch.netPrecision,
          window: start === null && end === null ? null : { start, end },
          url: launch.url,
        },
      },
    ]
  })

/** The identity of what is logged once: a launch at a time and in a status. */
const launchState = ({ data: { id, net, status } }: LaunchDelta): string => JSON.stringify([id, net, status])
