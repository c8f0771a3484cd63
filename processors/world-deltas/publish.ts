import {
  proWorldDeltasEndpoint,
  type WorldDeltasFull,
  worldDeltaInputs,
} from "../../schemas/endpoints/pro-world-deltas.ts"
import { instant } from "../../schemas/event.ts"
import { deltaPublished } from "../../schemas/events/world-deltas.ts"
import type { Launch } from "../../schemas/feeds/launches.ts"
import type { Json } from "../../schemas/json.ts"
import { type WorldDelta, type WorldDeltaType, worldDeltaTypes } from "../../schemas/payloads/world-delta.ts"
import { recordOf } from "../../schemas/record.ts"
import { VIEW_BODY_VERSION } from "../../schemas/view-record.ts"
import { dataPeriodOf, freshnessOf, NO_DATA_PERIOD, partsOf } from "../view/build-view.ts"
import worldDeltas from "../views/pro-world-deltas.ts"
import { launchState, nearLaunches } from "./launches.ts"
import type { UntimedDelta } from "./learnt.ts"
import { type DeltasDraft, type Published, stateKeys } from "./state.ts"
import { windowAt } from "./window.ts"

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
