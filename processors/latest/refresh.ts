import { instant } from "../../schemas/event.ts"
import { VIEW_BODY_VERSION } from "../../schemas/view-record.ts"
import type { ViewChange } from "../processor.ts"
import {
  type BuildResult,
  buildData,
  type DataPeriod,
  dataPeriodOf,
  followsClock,
  freshnessOf,
  NO_DATA_PERIOD,
  type Readings,
  type ViewInstance,
} from "../view/build-view.ts"
import { type Draft, stateKeys, type ViewState } from "./state.ts"

/** The kind of refresh that a change of a view's inputs needs. */
export interface Cause {
  /** The data may differ: the view is built. */
  readonly rebuild: boolean
  /** The freshness is published even if its text has not changed. */
  readonly publishFreshness: boolean
  /** What was built before may no longer be served. False unless given. */
  readonly forgets?: boolean
  readonly nowMs: number
}

const dataPeriodIn = (instance: ViewInstance, readings: Readings, state: ViewState | undefined): DataPeriod =>
  state?.failed ?? ((state?.data ?? null) === null ? NO_DATA_PERIOD : dataPeriodOf(instance, readings))

const freshnessIn = (instance: ViewInstance, readings: Readings, state: ViewState | undefined) =>
  freshnessOf(instance, readings, dataPeriodIn(instance, readings, state), (state?.failed ?? null) !== null)

/** A view on demand is dated by its own observations, so that its bytes do not depend on other events. */
const changedAtOf = (
  { onDemand }: ViewInstance,
  { newestMs }: Extract<BuildResult, { readonly _tag: "Built" }>,
  nowMs: number,
): string => instant(onDemand ? newestMs : nowMs)

/** A view that follows the clock and whose function has failed is tried again at every tick. */
const EVERY_TICK = 0

/** The state of a view after a build; `built` is null where none was needed. */
const stateAfter = (
  { before: readingsBefore }: Draft,
  instance: ViewInstance,
  before: ViewState | undefined,
  built: BuildResult | null,
  nowMs: number,
): ViewState => {
  const kept = before ?? { data: null, changedAt: null, failed: null, changesAtMs: null }
  if (built?._tag === "Built") {
    const changedAt = kept.data === built.digest ? kept.changedAt : changedAtOf(instance, built, nowMs)
    return { data: built.digest, changedAt, failed: null, changesAtMs: built.changesAtMs }
  }
  if (built === null) return kept
  if (built._tag === "Missing") return { ...kept, changesAtMs: null }
  return {
    ...kept,
    failed: dataPeriodIn(instance, readingsBefore, before),
    changesAtMs: followsClock(instance.view) && !instance.onDemand ? EVERY_TICK : null,
  }
}

const bodyOf = (
  { changedAt }: ViewState,
  { data }: Extract<BuildResult, { readonly _tag: "Built" }>,
): Pick<ViewChange, "body"> => (changedAt === null ? {} : { body: { v: VIEW_BODY_VERSION, changedAt, data } })

/**
 * The records of a view as they were written last, made of the state. Without its body where that is not the data of now:
 * its function fails, or the view was built at an instant that has passed.
 */
export const restated = (to: Draft, instance: ViewInstance, nowMs: number): ViewChange | null => {
  const state = to.get<ViewState>(stateKeys.view(instance.key))
  if (state === undefined) return null
  const built = state.data === null ? null : buildData(instance, to.readings, nowMs)
  return {
    key: instance.key,
    ...(built?._tag === "Built" && built.digest === state.data ? bodyOf(state, built) : {}),
    freshness: freshnessIn(instance, to.readings, state),
  }
}

/** Brings a view up to date with its inputs. */
export const refresh = (
  to: Draft,
  instance: ViewInstance,
  { rebuild, publishFreshness, forgets = false, nowMs }: Cause,
): void => {
  const stateKey = stateKeys.view(instance.key)
  const before = forgets ? undefined : to.get<ViewState>(stateKey)
  const built = rebuild ? buildData(instance, to.readings, nowMs) : null
  const after = stateAfter(to, instance, before, built, nowMs)
  const hasFailed = after.failed !== null
  const hadFailed = (before?.failed ?? null) !== null
  if (built?._tag === "Failed" && !hadFailed) to.problems.push({ subject: instance.key, problem: built.problem })

  const isNewBody = built?._tag === "Built" && before?.data !== after.data
  const freshness = freshnessIn(instance, to.readings, after)
  const isNewFreshness =
    publishFreshness ||
    before === undefined ||
    JSON.stringify(freshness) !== JSON.stringify(freshnessIn(instance, to.before, before))
  if (before === undefined || isNewBody || hasFailed !== hadFailed || before.changesAtMs !== after.changesAtMs)
    to.set(stateKey, after)
  if (!isNewBody && !isNewFreshness) return
  to.views.push({
    key: instance.key,
    ...(isNewBody ? bodyOf(after, built) : forgets ? { body: null } : {}),
    ...(isNewFreshness ? { freshness } : {}),
  })
}

/** Removes a view with its state. */
export const removeView = (to: Draft, viewKey: string): void => {
  to.set(stateKeys.view(viewKey), null)
  to.views.push({ key: viewKey, body: null, freshness: null })
}
