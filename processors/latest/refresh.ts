import { instant } from "../../schemas/event.ts"
import {
  buildData,
  freshnessOf,
  NO_STANDING,
  type Readings,
  type Standing,
  standingOf,
  type ViewInstance,
} from "../build-view.ts"
import { type Draft, stateKeys, type ViewState } from "./state.ts"

/** What has happened to the inputs of a view. */
export interface Cause {
  /** The data may differ: the view is built. */
  readonly rebuild: boolean
  /** The freshness is published, also where it is the same text as before. */
  readonly publishFreshness: boolean
  readonly nowMs: number
  readonly eventMs: number
}

const standingIn = (instance: ViewInstance, readings: Readings, state: ViewState | undefined): Standing =>
  state?.failed ?? ((state?.data ?? null) === null ? NO_STANDING : standingOf(instance, readings))

const freshnessIn = (instance: ViewInstance, readings: Readings, state: ViewState | undefined) =>
  freshnessOf(instance, readings, standingIn(instance, readings, state), (state?.failed ?? null) !== null)

/** Brings a view up to date with its inputs. */
export const refresh = (
  to: Draft,
  instance: ViewInstance,
  { rebuild, publishFreshness, nowMs, eventMs }: Cause,
): void => {
  const stateKey = stateKeys.view(instance.key)
  const before = to.get<ViewState>(stateKey)
  const built = rebuild ? buildData(instance, to.readings, nowMs) : null
  const after: ViewState =
    built?._tag === "Built"
      ? { data: built.digest, failed: null }
      : {
          data: before?.data ?? null,
          failed: built?._tag === "Failed" ? standingIn(instance, to.before, before) : (before?.failed ?? null),
        }
  const hasFailed = after.failed !== null
  const hadFailed = (before?.failed ?? null) !== null
  if (built?._tag === "Failed" && !hadFailed) to.problems.push({ subject: instance.key, problem: built.problem })

  const isNewBody = built?._tag === "Built" && before?.data !== after.data
  const freshness = freshnessIn(instance, to.readings, after)
  const isNewFreshness =
    publishFreshness ||
    before === undefined ||
    JSON.stringify(freshness) !== JSON.stringify(freshnessIn(instance, to.before, before))
  if (before === undefined || isNewBody || hasFailed !== hadFailed) to.set(stateKey, after)
  if (!isNewBody && !isNewFreshness) return
  // A view on demand is dated by its own observation, so that its bytes do not depend on what else the log holds.
  const changedAt = instant(instance.view.instances === null ? eventMs : nowMs)
  to.views.push({
    key: instance.key,
    ...(isNewBody ? { body: { v: 2, changedAt, data: built.data } } : {}),
    ...(isNewFreshness ? { freshness } : {}),
  })
}

/** Removes a view with its state. */
export const removeView = (to: Draft, viewKey: string): void => {
  to.set(stateKeys.view(viewKey), null)
  to.views.push({ key: viewKey, body: null, freshness: null })
}
