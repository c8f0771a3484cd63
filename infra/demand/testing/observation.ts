import type { Observation } from "../../../ingestors/poll/poller.ts"
import { makeEvent } from "../../../schemas/event.ts"
import { feedObserved } from "../../../schemas/events/observations.ts"

/** An observation of a feed on demand. */
export const weatherObservation: Observation = makeEvent(feedObserved, {
  id: "01a0",
  source: "ingest/open-meteo",
  subject: "weather?lat=1&lon=2",
  time: "2026-08-17T20:35:00.000Z",
  data: {
    feed: "weather",
    parameters: { lat: "1", lon: "2" },
    provider: "OpenMeteo.forecast",
    latencyMs: 9,
    hash: "0".repeat(64),
    contentAt: null,
    freshUntil: "2026-08-17T20:55:00.000Z",
    standsInFor: null,
    payload: { temperatureC: 20 },
  },
})
