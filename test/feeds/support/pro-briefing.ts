import * as Schema from "effect/Schema"
import type { SeriesPoint } from "../../../processors/view/memory.ts"
import type { Reading } from "../../../processors/view/view.ts"
import proBriefing from "../../../processors/views/pro-briefing.ts"
import { instanceKey } from "../../../schemas/feed.ts"
import { ProBriefingFull } from "../../../schemas/payloads/pro-briefing.ts"
import { inputsOf } from "./shown.ts"

/** When the briefings of tests are built. */
export const NOW_MS = Date.parse("2026-11-20T12:34:56.789Z")

/** The whole briefing of these readings, by the keys of their instances. */
export const built = (
  readings: ReadonlyMap<string, Reading<unknown>>,
  points: ReadonlyArray<SeriesPoint> = [],
): ProBriefingFull => {
  const inputs = inputsOf(proBriefing, {}, (feed, instance) => readings.get(instanceKey(feed, instance)), {
    btc24h: points,
  })
  const { data } = proBriefing.build(inputs, { parameters: {}, nowMs: NOW_MS })
  return Schema.decodeUnknownSync(ProBriefingFull, { onExcessProperty: "error" })(data)
}
