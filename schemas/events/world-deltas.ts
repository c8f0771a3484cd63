import { eventType } from "../event.ts"
import { WorldDelta } from "../payloads/world-delta.ts"

/** An event of the world was published: once when it is first observed; a launch when it is near, and with each later change. */
export const deltaPublished = eventType({
  type: "delta.published",
  topic: "deltas",
  version: 1,
  description: "An event of the world: it was learnt, or it is a launch that has come near or changed while it is.",
  data: WorldDelta,
})
