import { EARTHQUAKES_MAX, type Earthquake } from "../../schemas/feeds/earthquakes.ts"
import { type QuakeData, quakeTypes } from "../../schemas/payloads/world-delta.ts"
import { type KnownItems, type Learnt, quakeSeverity } from "./news.ts"

const HOUR_MS = 3_600_000
/** The smallest magnitude that is published. */
const QUAKE_MAGNITUDE_MIN = 4
/** An earthquake is news up to this long after its origin: agencies catalogue some late, and revise magnitudes. */
const QUAKE_NEWS_MS = 6 * HOUR_MS
/** How long an id is kept after its origin: longer than it can be news, as the origin time is revised too. */
const KNOWN_MS = 48 * HOUR_MS

/** Origin times in milliseconds by id, of those stated and of those in the first payload. */
export type KnownQuakes = KnownItems<number>

const typeOf = ({ type }: Earthquake): QuakeData["type"] | undefined => quakeTypes.find((one) => one === type)

/**
 * The earthquakes that are news: they have, for the first time, magnitude 4.0 or above, within six hours of their origin.
 * Without `known` the payload is the first one: its earthquakes are a backlog, and never news.
 */
export const learnQuakes = (
  quakes: ReadonlyArray<Earthquake>,
  known: KnownQuakes | undefined,
  nowMs: number,
): Learnt<KnownQuakes> => {
  const before = new Set(known?.map(([id]) => id))
  const fresh = quakes
    .flatMap((quake) => {
      const { id, otherIds = [], magnitude, time } = quake
      const type = typeOf(quake)
      const isNews =
        type !== undefined &&
        magnitude !== null &&
        magnitude >= QUAKE_MAGNITUDE_MIN &&
        Date.parse(time) > nowMs - QUAKE_NEWS_MS &&
        // An event whose preferred network changes is listed under another id, with the former one beside it.
        ![id, ...otherIds].some((one) => before.has(one))
      return isNews ? [{ quake, type, magnitude }] : []
    })
    .sort(({ quake: one }, { quake: other }) => (`${one.time} ${one.id}` < `${other.time} ${other.id}` ? -1 : 1))
  return {
    news:
      known === undefined
        ? []
        : fresh.map(({ quake, type, magnitude }) => ({
            type: "earthquake",
            severity: quakeSeverity(magnitude),
            data: {
              id: quake.id,
              type,
              magnitude,
              place: quake.place,
              depth_km: quake.depthKm,
              mag_type: quake.magnitudeType,
              time: quake.time,
              url: quake.url,
            },
          })),
    known: [...(known ?? []), ...fresh.map(({ quake }) => [quake.id, Date.parse(quake.time)] as const)]
      .filter(([, originMs]) => originMs > nowMs - KNOWN_MS)
      .slice(-EARTHQUAKES_MAX),
  }
}
