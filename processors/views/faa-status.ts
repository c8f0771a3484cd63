import {
  type AirportEvent,
  type AirportEventKind,
  type Closure,
  faaStatus,
  faaStatusEndpoint,
} from "../../schemas/feeds/faa-status.ts"
import { closureChangesMs, isClosedAt } from "../closure-hours.ts"
import { nextAfter, until } from "../view/timed.ts"
import { from, view } from "../view/view.ts"

const ofKind = <Kind extends AirportEventKind>(events: ReadonlyArray<AirportEvent>, kind: Kind) =>
  events.filter((event): event is Extract<AirportEvent, { readonly kind: Kind }> => event.kind === kind)

const places = ({ airport, reason }: AirportEvent) => ({ airport, reason })
const period = ({ startsAt, endsAt }: Closure) => ({ start: startsAt, reopen: endsAt })

export default view({
  endpoint: faaStatusEndpoint,
  reads: { status: from(faaStatus) },
  // An airport closes and opens at its hours, also without a new observation.
  clock: true,
  build: ({ status }, { nowMs }) => {
    const { items, facts } = status.payload
    const listed = items.filter((event): event is Closure => event.kind === "closure" || event.kind === "restriction")
    const closures = listed.filter(({ kind }) => kind === "closure")
    const restrictions = listed.filter(({ kind }) => kind === "restriction")
    const data = {
      updated: facts.updatedAt,
      ground_stops: ofKind(items, "ground_stop").map((event) => ({ ...places(event), end_time: event.endTime })),
      ground_delays: ofKind(items, "ground_delay").map((event) => ({
        ...places(event),
        avg_minutes: event.averageMinutes,
        max_minutes: event.maximumMinutes,
      })),
      closures: closures.map((event) => ({
        ...places(event),
        ...period(event),
        daily_window: event.dailyWindow,
        closed_now: isClosedAt(event, nowMs),
      })),
      delays: ofKind(items, "delay").map((event) => ({
        ...places(event),
        direction: event.direction,
        min_minutes: event.minimumMinutes,
        max_minutes: event.maximumMinutes,
        trend: event.trend,
      })),
      restrictions: restrictions.map((event) => ({ ...places(event), ...period(event) })),
      total_events: items.length - restrictions.length,
    }
    const changes = closures.flatMap((event) => closureChangesMs(event, nowMs))
    return until(data, nextAfter(nowMs, changes))
  },
})
