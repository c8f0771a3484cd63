import { createHash } from "node:crypto"
import * as Schema from "effect/Schema"
import { WeatherAlertRow } from "../../../schemas/endpoints/climate-weather-alerts.ts"
import { givenFeed, givenId } from "../given.ts"
import { simulatedUpstream, type WorldReply, type WorldRequest } from "../upstream.ts"
import type { Happening, World } from "../world.ts"

const MINUTE_MS = 60_000
const HOUR_MS = 60 * MINUTE_MS
/** The longest time for which a hazard lasts. */
const HAZARD_MAX_MS = 48 * HOUR_MS
const HAZARDS_EACH_HOUR = 6
/** The age at which a message is replaced by an update, under a new id. */
const UPDATE_MS = 5 * HOUR_MS
/** Alerts stay in the list for this long after their end. */
const LINGERS_MS = 4 * MINUTE_MS
const KEEP_ALIVE_MS = 10 * MINUTE_MS

const kinds = [
  ["Small Craft Advisory", "Minor", "Expected", "Likely"],
  ["Winter Weather Advisory", "Moderate", "Expected", "Likely"],
  ["Winter Storm Warning", "Severe", "Expected", "Likely"],
  ["Gale Warning", "Moderate", "Expected", "Likely"],
  ["High Wind Watch", "Severe", "Future", "Possible"],
  ["Flood Warning", "Severe", "Immediate", "Observed"],
  ["Blizzard Warning", "Extreme", "Immediate", "Likely"],
  ["Air Quality Alert", "Unknown", "Unknown", "Unknown"],
] as const
const offices = [
  ["NWS Seattle WA", "WA", "Northern Cascades", -8],
  ["NWS Hanford CA", "CA", "Fresno-Clovis", -8],
  ["NWS Miami FL", "FL", "Coastal Collier County", -5],
  ["NWS Anchorage AK", "PK", "Barren Islands East", -9],
  ["NWS Duluth MN", "MN", "Koochiching; North St. Louis", -6],
] as const

/** A hazard of the world and the message that is in force about it. */
export interface WorldAlert {
  readonly id: string
  readonly replaces: string | null
  readonly kind: (typeof kinds)[number]
  readonly office: (typeof offices)[number]
  readonly zones: ReadonlyArray<string>
  readonly sentMs: number
  readonly expiresMs: number
  /** Null where the message has no end of the hazard. */
  readonly endsMs: number | null
  readonly messageType: "Alert" | "Update" | "Cancel"
}

const minute = (ms: number): number => Math.floor(ms / MINUTE_MS) * MINUTE_MS

const idOf = (hazard: Happening, version: number): string =>
  `urn:oid:2.49.0.1.840.0.${createHash("sha1").update(`${hazard.id} ${version}`).digest("hex")}.001.1`

const alertOf = (world: World, hazard: Happening): WorldAlert | null => {
  const beganMs = minute(hazard.atMs)
  const endMs = minute(beganMs + (2 + hazard.random("hours") * 46) * HOUR_MS)
  if (endMs + LINGERS_MS < world.nowMs) return null
  const version = Math.floor((Math.min(world.nowMs, endMs - 1) - beganMs) / UPDATE_MS)
  const isCancelled = hazard.random("cancelled") < 0.1 && world.nowMs > endMs - 30 * MINUTE_MS
  const sentMs = beganMs + version * UPDATE_MS
  const pick = <One>(all: ReadonlyArray<One>, label: string): One =>
    all[Math.floor(hazard.random(label) * all.length)] as One
  const office = pick(offices, "office")
  const zone = (offset: number) =>
    `${office[1]}Z${String((Math.floor(hazard.random("zone") * 900) + offset) % 1000).padStart(3, "0")}`
  return {
    id: idOf(hazard, version),
    replaces: version === 0 ? null : idOf(hazard, version - 1),
    kind: pick(kinds, "kind"),
    office,
    zones: [zone(1), zone(2)],
    sentMs,
    // The message lapses before the next one replaces it, or with the hazard: it may have lapsed while the hazard lasts.
    expiresMs: Math.min(sentMs + UPDATE_MS - 10 * MINUTE_MS, endMs),
    endsMs: hazard.random("open") < 0.15 ? null : endMs,
    messageType: isCancelled ? "Cancel" : version === 0 ? "Alert" : "Update",
  }
}

/** The alerts that the service lists now, those included that have just ended; the keep-alive message is none of them. */
export const listedAlerts = (world: World): ReadonlyArray<WorldAlert> =>
  world
    .happenings("hazard", HAZARDS_EACH_HOUR, world.nowMs - HAZARD_MAX_MS - HOUR_MS, world.nowMs)
    .flatMap((hazard) => alertOf(world, hazard) ?? [])

/** An instant as the service writes it: in the time of the forecast office. */
const local = (ms: number, hours: number): string =>
  `${new Date(ms + hours * HOUR_MS).toISOString().slice(0, 19)}${hours < 0 ? "-" : "+"}${String(Math.abs(hours)).padStart(2, "0")}:00`

const feature = (alert: WorldAlert) => {
  const [event, severity, urgency, certainty] = alert.kind
  const [senderName, , area, hours] = alert.office
  const at = (ms: number) => local(ms, hours)
  return {
    id: `https://api.weather.gov/alerts/${alert.id}`,
    type: "Feature",
    geometry: null,
    properties: {
      "@id": `https://api.weather.gov/alerts/${alert.id}`,
      "@type": "wx:Alert",
      id: alert.id,
      areaDesc: area,
      geocode: { SAME: ["053057"], UGC: alert.zones },
      affectedZones: alert.zones.map((zone) => `https://api.weather.gov/zones/forecast/${zone}`),
      references:
        alert.replaces === null
          ? []
          : [{ "@id": `https://api.weather.gov/alerts/${alert.replaces}`, identifier: alert.replaces }],
      sent: at(alert.sentMs),
      effective: at(alert.sentMs),
      onset: at(alert.sentMs),
      expires: at(alert.expiresMs),
      ends: alert.endsMs === null ? null : at(alert.endsMs),
      status: "Actual",
      messageType: alert.messageType,
      category: "Met",
      severity,
      certainty,
      urgency,
      event,
      sender: "w-nws.webmaster@noaa.gov",
      senderName,
      headline: `${event} issued ${at(alert.sentMs)} by ${senderName}`,
      description: `* WHAT...${event}.\n\n* WHERE...${area}.\n\n* WHEN...Until ${at(alert.endsMs ?? alert.expiresMs)}.`,
      instruction: null,
      response: "Execute",
      parameters: { AWIPSidentifier: ["WSWSEW"] },
    },
  }
}

const keepAlive = (nowMs: number) => {
  const sentMs = Math.floor(nowMs / KEEP_ALIVE_MS) * KEEP_ALIVE_MS
  const id = `urn:oid:2.49.0.1.840.0-KEEPALIVE-${(sentMs / KEEP_ALIVE_MS) % 100_000}`
  return {
    id: `https://api.weather.gov/alerts/${id}`,
    type: "Feature",
    geometry: null,
    properties: {
      "@type": "wx:Alert",
      id,
      areaDesc: "Montgomery",
      geocode: { SAME: ["024031"], UGC: ["MDC031"] },
      references: [],
      sent: local(sentMs, 0),
      effective: local(sentMs, 0),
      onset: null,
      expires: local(sentMs + KEEP_ALIVE_MS, 0),
      ends: null,
      status: "Test",
      messageType: "Alert",
      category: "Met",
      severity: "Unknown",
      certainty: "Unknown",
      urgency: "Unknown",
      event: "Test Message",
      sender: "w-nws.webmaster@noaa.gov",
      senderName: "NWS",
      headline: null,
      description: "Monitoring message only. Please disregard.",
      instruction: "Monitoring message only. Please disregard.",
    },
  }
}

/** Alerts of one page. The service's own limit is 500; a smaller one shows that pages are followed. */
const PAGE_ALERTS = 100

/** A page of the list; null for a path that is none. */
const pageOf = (
  { path, query }: WorldRequest,
  world: World,
  alerts: () => ReadonlyArray<object>,
): WorldReply | null => {
  if (path !== "/alerts/active" && path !== "/alerts") return null
  const all = [keepAlive(world.nowMs), ...alerts()]
  const cursor = Number(query.get("cursor") ?? 0)
  const next = cursor + PAGE_ALERTS
  return {
    contentType: "application/geo+json",
    body: {
      "@context": ["https://geojson.org/geojson-ld/geojson-context.jsonld"],
      type: "FeatureCollection",
      features: all.slice(cursor, next),
      title: "Current watches, warnings, and advisories",
      updated: local(minute(world.nowMs), 0),
      ...(next < all.length
        ? { pagination: { next: `https://api.weather.gov/alerts/active?limit=${PAGE_ALERTS}&cursor=${next}` } }
        : {}),
    },
  }
}

const { event, areaDesc, sent, expires, ...others } = WeatherAlertRow.fields
/** A row of the endpoint: what it leaves out is unknown. */
const GivenAlert = Schema.Struct({
  event,
  areaDesc,
  sent,
  expires,
  id: Schema.optionalKey(others.id),
  severity: Schema.optionalKey(others.severity),
  urgency: Schema.optionalKey(others.urgency),
  certainty: Schema.optionalKey(others.certainty),
  headline: Schema.optionalKey(others.headline),
  description: Schema.optionalKey(others.description),
  effective: Schema.optionalKey(others.effective),
  ends: Schema.optionalKey(others.ends),
  sender_name: Schema.optionalKey(others.sender_name),
  web: Schema.optionalKey(others.web),
})

const featureOfGiven = ({ sender_name, ...row }: typeof GivenAlert.Type) => ({
  type: "Feature",
  geometry: null,
  properties: {
    id: givenId(row),
    effective: row.sent,
    ...row,
    status: "Actual",
    messageType: "Alert",
    senderName: sender_name ?? null,
  },
})

export default simulatedUpstream({
  name: "nws-alerts",
  hosts: ["api.weather.gov"],
  answer: (request, world) => pageOf(request, world, () => listedAlerts(world).map(feature)),
  given: givenFeed({
    paths: ["/api/climate/weather-alerts"],
    item: GivenAlert,
    answer: (rows) => (request, world) => pageOf(request, world, () => rows.map(featureOfGiven)),
  }),
})
