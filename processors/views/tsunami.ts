import { tsunami, tsunamiEndpoint, tsunamiInstances, tsunamiLevel, tsunamiLevels } from "../../schemas/feeds/tsunami.ts"
import { fromEvery, view } from "../view.ts"

const HOUR_MS = 3_600_000
/**
 * How long a message counts after it was issued. Centres repeat a message about a danger at least hourly while it lasts
 * and then cancel it; a day bridges a centre that fell silent. Information is soon no news.
 */
const ACTIVE_MS = { danger: 24 * HOUR_MS, info: 6 * HOUR_MS }

export default view({
  endpoint: tsunamiEndpoint,
  reads: { centres: fromEvery(tsunami, tsunamiInstances) },
  // A message stops being active when its time has come, whether or not a centre says anything.
  followsClock: true,
  build: ({ centres }, { nowMs }) => {
    const messages = centres
      .flatMap(({ reading }) => reading?.payload.items ?? [])
      .sort((a, b) => (a.issuedAt < b.issuedAt ? 1 : a.issuedAt > b.issuedAt ? -1 : 0))
      .map((message) => {
        const level = tsunamiLevel[message.category]
        const activeMs = level === "info" ? ACTIVE_MS.info : ACTIVE_MS.danger
        return {
          centre: message.centre,
          level,
          category: message.category,
          active: message.category !== "cancellation" && nowMs - Date.parse(message.issuedAt) < activeMs,
          title: message.title,
          place: message.place,
          issued_at: message.issuedAt,
          magnitude: message.magnitude,
          lat: message.latitude,
          lon: message.longitude,
          note: message.note,
          url: message.url,
        }
      })
    const active = messages.filter((message) => message.active)
    const highest = tsunamiLevels.findLast((level) => active.some((message) => message.level === level))
    const none = "none" as const
    return {
      highest_level: highest ?? none,
      active_count: active.length,
      messages,
    }
  },
})
