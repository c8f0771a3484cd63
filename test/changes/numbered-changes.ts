import { views } from "../../processors/registry.ts"
import { withSequence } from "../../schemas/change.ts"
import { instant, makeEvent } from "../../schemas/event.ts"
import { feedProbed, itemAppeared } from "../../schemas/events/deltas.ts"
import type { LogRecord } from "../../schemas/ports/event-log.ts"

/** The name of the log of these changes. */
export const LOG_NAME = "testtest"

const BEGIN = Date.parse("2026-01-31T23:50:00.000Z")
const encoder = new TextEncoder()

/** The logged change of a number: an earthquake that appeared. Its content depends on the number and the name only. */
export const numberedChange = (ordinal: number, log = LOG_NAME): LogRecord => {
  const time = instant(BEGIN + ordinal * 1_000)
  const event = makeEvent(itemAppeared, {
    id: `event-${ordinal}`,
    source: "test",
    subject: `earthquakes/quake${ordinal}`,
    time,
    data: {
      feed: "earthquakes",
      parameters: { magnitude: "all", period: "day" },
      provider: "USGS.earthquakes",
      key: `quake${ordinal}`,
      observedAt: time,
      item: {
        id: `quake${ordinal}`,
        type: "earthquake",
        magnitude: (ordinal % 60) / 10,
        magnitudeType: "mww",
        place: `${ordinal} km of 日本 "O'Brien"`,
        time,
        revisedAt: time,
        latitude: (ordinal % 90) - 0.25,
        longitude: -(ordinal % 180) + 0.125,
        depthKm: 10.5,
        tsunami: false,
        alert: null,
        significance: 300,
        status: "automatic",
        url: null,
      },
    },
  })
  return {
    topic: "deltas",
    key: event.type,
    value: encoder.encode(withSequence(JSON.stringify(event), { log, ordinal })),
  }
}

/** A derived event of another processor, which has no number. */
export const otherEvent = (number: number): LogRecord => {
  const time = instant(BEGIN + number)
  const event = makeEvent(feedProbed, {
    id: `probe-${number}`,
    source: "test",
    subject: "things",
    time,
    data: { feed: "things", parameters: {}, provider: "A", verdict: "ok", probedAt: time, ageMs: number },
  })
  return { topic: "deltas", key: event.type, value: encoder.encode(JSON.stringify(event)) }
}

/** Every change is shown. */
export const everythingShown = {
  views,
  isShown: () => true,
  isPurged: () => false,
  creditOf: (provider: string) => provider,
}
