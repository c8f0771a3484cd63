import { type AirportEvent, faaStatus } from "../../../schemas/feeds/faa-status.ts"
import { table } from "../../table.ts"

const none = {
  direction: "",
  trend: "",
  minimum_minutes: null,
  average_minutes: null,
  maximum_minutes: null,
  end_time: "",
  notam: "",
  starts_at: null,
  ends_at: null,
  daily_from: "",
  daily_to: "",
  weekdays: [],
}

/** The members that events of a kind have beside those of all. */
const detailsOf = (event: AirportEvent) => {
  switch (event.kind) {
    case "ground_stop":
      return { end_time: event.endTime ?? "" }
    case "ground_delay":
      return { average_minutes: event.averageMinutes, maximum_minutes: event.maximumMinutes }
    case "delay":
      return {
        direction: event.direction,
        trend: event.trend ?? "",
        minimum_minutes: event.minimumMinutes,
        maximum_minutes: event.maximumMinutes,
      }
    default:
      return {
        notam: event.notam ?? "",
        starts_at: event.startsAt,
        ends_at: event.endsAt,
        daily_from: event.dailyWindow?.from ?? "",
        daily_to: event.dailyWindow?.to ?? "",
        weekdays: event.dailyWindow?.weekdays ?? [],
      }
  }
}

export default table(import.meta.url, {
  feed: faaStatus,
  now: {
    identity: [
      "airport",
      "kind",
      "direction",
      "notam",
      "if(kind IN ('closure', 'restriction') AND notam = '', reason, '')",
      "distinction",
    ],
  },
  rows: ({ kind, item, observedAt }) => [
    {
      airport: item.airport,
      kind: item.kind,
      reason: item.reason,
      ...none,
      ...detailsOf(item),
      distinction: item.distinction ?? "",
      listed: kind !== "gone",
      observed_at: observedAt,
    },
  ],
})
