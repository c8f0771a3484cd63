import * as Effect from "effect/Effect"
import { freshnessKey, parseViewRecordKey, viewBodyText } from "../../schemas/view-record.ts"
import type { Processor, State } from "../processor.ts"
import { jsonText, rendered } from "./rendered.ts"
import type { LogValue } from "./value-store.ts"

/**
 * The values of damaged keys of `views` as this processor wrote them last, made of its state. Keys that do not follow from
 * the state are logged: their views stay as they are until they change, or a rebuild writes them.
 */
export const mendedViews = Effect.fnUntraced(function* (
  { restate }: Processor,
  state: State,
  nowMs: number,
  damaged: ReadonlySet<string>,
) {
  const mended: Array<LogValue> = []
  for (const key of damaged) {
    const { viewKey, part } = parseViewRecordKey(key)
    const view = restate?.(state, viewKey, nowMs) ?? null
    if (view === null) continue
    const { body, freshness } = view
    if (part === "body" && body != null)
      mended.push({ topic: "views", key: viewKey, text: viewBodyText(body, rendered(body.data).text) })
    else if (part === "freshness" && freshness != null)
      mended.push({ topic: "views", key: freshnessKey(viewKey), text: jsonText(freshness) })
    else yield* Effect.logWarning(`the view record ${key} is damaged and does not follow from the state of now`)
  }
  if (mended.length > 0)
    yield* Effect.logWarning(`writes damaged view records anew: ${mended.map(({ key }) => key).join(", ")}`)
  return mended
})
