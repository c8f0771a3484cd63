import { instant } from "../../schemas/event.ts"
import type { ViewBody } from "../../schemas/view-record.ts"
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
  readonly nowMs: number
}

const dataPeriodIn = (instance: ViewInstance, readings: Readings, state: ViewState | undefined): DataPeriod =>
  state?.failed ?? ((state?.data ?? null) === null ? NO_DATA_PERIOD : dataPeriodOf(instance, readings))

const freshnessIn = (instance: ViewInstance, readings: Readings, state: ViewState | undefined) =>
  freshnessOf(instance, readings, dataPeriodIn(instance, readings, state), (state?.failed ?? null) !== null)

/** A view on demand is dated by its own observations, so that its bytes do not depend on other events. */
const bodyOf = (
  { onDemand }: ViewInstance,
  { data, newestMs }: Extract<BuildResult, { readonly _tag: "Built" }>,
  nowMs: number,
): ViewBody => ({ v: 2, changedAt: instant(onDemand ? newestMs : nowMs), data })

/** A view that follows the clock and whose function has failed is tried again at every tick. */
const EVERY_TICK = 0

/** The state of a view after a build; `built` is null where none was needed. */
const stateAfter = (
  { before: readingsBefore }: Draft,
  instance: ViewInstance,
  before: ViewState | undefined,
  built: BuildResult | null,
): ViewState => {
  if (built?._tag === "Built") return { data: built.digest, failed: null, changesAtMs: built.changesAtMs }
  const kept = before ?? { data: null, failed: null, changesAtMs: null }
  if (built === null) return kept
  if (built._tag === "Missing") return { ...kept, changesAtMs: null }
  return {
    ...kept,
    failed: dataPeriodIn(instance, readingsBefore, before),
    changesAtMs: followsClock(instance.view) && !instance.onDemand ? EVERY_TICK : null,
  }
}

/** Brings a view up to date with its inputs. */
export const refresh = (to: Draft, instance: ViewInstance, { rebuild, publishFreshness, nowMs }: Cause): void => {
  const stateKey = stateKeys.view(instance.key)
  const before = to.get<ViewState>(stateKey)
  const built = rebuild ? buildData(instance, to.readings, nowMs) : null
  const after = stateAfter(to, instance, before, built)
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
    ...(isNewBody ? { body: bodyOf(instance, built, nowMs) } : {}),
    ...(isNewFreshness ? { freshness } : {}),
  })
}

/** Removes a view with its state. */
export const removeView = (to: Draft, viewKey: string): void => {
  to.set(stateKeys.view(viewKey), null)
  to.views.push({ key: viewKey, body: null, freshness: null })
}
