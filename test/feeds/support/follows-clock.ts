import { expect } from "vitest"
import type { Reading, View } from "../../../processors/view/view.ts"
import { inputsOf } from "./shown.ts"

/**
 * Expects of a view that follows the clock what the fold relies on: between its builds at the instants that it names itself
 * the data is that of a build at each tick. Returns how many builds it named, so that a test can ask for some.
 */
export const expectFollowsClock = (
  view: View,
  reading: Reading<unknown>,
  ticks: { readonly fromMs: number; readonly untilMs: number; readonly everyMs: number },
): number => {
  const inputs = inputsOf(view, {}, () => reading)
  const build = (nowMs: number) => view.build(inputs, { parameters: {}, nowMs })
  let standing = build(ticks.fromMs)
  let builds = 0
  for (let nowMs = ticks.fromMs; nowMs <= ticks.untilMs; nowMs += ticks.everyMs) {
    if (standing.changesAtMs !== null && standing.changesAtMs <= nowMs) {
      standing = build(nowMs)
      builds += 1
    }
    expect({ nowMs, data: standing.data }).toEqual({ nowMs, data: build(nowMs).data })
  }
  return builds
}
