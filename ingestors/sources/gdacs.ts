import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import {
  alertLevels,
  DISASTER_NAME_MAX_CHARACTERS,
  type DisasterType,
  disasterAlerts,
} from "../../schemas/feeds/disaster-alerts.ts"
import { type CollectFailed, document, type Upstream } from "../document.ts"
import { unreadable } from "../poll/read.ts"
import { oneOrMany } from "../readers/formats.ts"
import { instantOrNull, newestMs } from "../readers/instants.ts"
import { positive, within } from "../readers/numbers.ts"
import { cleanText, cleanTextOrNull } from "../readers/text.ts"
import { listSource } from "../source.ts"
import { termsOf } from "../terms.ts"
import { type DisasterEvent, eventOfFeature, eventOfItem, Feature, Item } from "./gdacs/disaster-event.ts"

const HOST = "https://www.gdacs.org"
/** An event of the feed lists some twenty resources. */
const BODY_MAX_BYTES = 16 * 1024 * 1024

/** What the map of current events shows. */
const map = document({
  format: "json",
  wire: Schema.Struct({ features: Schema.Array(Schema.Unknown) }),
  url: `${HOST}/gdacsapi/api/events/geteventlist/MAP`,
  bodyBytesMax: BODY_MAX_BYTES,
})
/** The same events without their shapes. */
const feed = document({
  format: "xml",
  wire: Schema.Struct({
    rss: Schema.Struct({ channel: Schema.Struct({ item: Schema.optionalKey(oneOrMany(Schema.Unknown)) }) }),
  }),
  url: `${HOST}/xml/rss.xml`,
  bodyBytesMax: BODY_MAX_BYTES,
})

type Collected = (typeof map | typeof feed)["wire"]["Type"]

/** The map, or, where it fails or shows nothing, the feed. */
const collect = (upstream: Upstream): Effect.Effect<Collected, CollectFailed> =>
  upstream.fetch(map, undefined).pipe(
    Effect.map((shown) => (shown.features.length > 0 ? shown : null)),
    Effect.catch(() => Effect.succeed(null)),
    Effect.flatMap(
      (shown): Effect.Effect<Collected, CollectFailed> =>
        shown === null ? upstream.fetch(feed, undefined) : Effect.succeed(shown),
    ),
  )

const types: ReadonlyMap<string, DisasterType> = new Map([
  ["EQ", "earthquake"],
  ["TC", "tropical_cyclone"],
  ["FL", "flood"],
  ["VO", "volcano"],
  ["DR", "drought"],
  ["WF", "wildfire"],
  ["TS", "tsunami"],
])

/** The names of a list with commas, each once: the upstream leaves some of them empty. */
const namesIn = (list: string): ReadonlyArray<string> => [
  ...new Set(list.split(",").flatMap((one) => cleanTextOrNull(one, 120) ?? [])),
]

/** The countries that are named. A part of the sea is none, though its name may hold a comma. */
const countriesOf = ({ country, isAtSea }: DisasterEvent): ReadonlyArray<string> => (isAtSea ? [] : namesIn(country))

/** The name of an event as the provider's map has it; its other documents have sentences instead. */
const nameOf = (type: DisasterType, place: string, eventName: string): string => {
  const [noun, isNamed] = NOUNS[type]
  if (isNamed && eventName !== "") return `${noun} ${eventName}`
  return place === "" ? noun : `${noun} in ${place}`
}

const NOUNS: Readonly<Record<DisasterType, readonly [noun: string, isNamed: boolean]>> = {
  earthquake: ["Earthquake", false],
  tropical_cyclone: ["Tropical Cyclone", true],
  flood: ["Flood", false],
  volcano: ["Eruption", true],
  drought: ["Drought", false],
  wildfire: ["Forest fires", false],
  tsunami: ["Tsunami", false],
}

/** The number that a sentence states in a unit. */
const STATED: ReadonlyMap<string, RegExp> = new Map([
  ["M", /(\d{1,15}(?:\.\d{1,9})?) ?M\b/],
  ["km/h", /(\d{1,15}(?:\.\d{1,9})?) ?km\/h/],
  ["ha", /(\d{1,15}(?:\.\d{1,9})?) ?ha\b/],
  ["km2", /(\d{1,15}(?:\.\d{1,9})?) ?km2/],
])

/** Whether a sentence states another number than the one beside it, beyond rounding: 5.6 beside "Magnitude 4.7M". */
const isContradicted = (value: number, unit: string, text: string): boolean => {
  const stated = STATED.get(unit)?.exec(text)?.[1]
  if (stated === undefined) return false
  const decimals = stated.split(".")[1]?.length ?? 0
  return Math.abs(value - Number(stated)) > 0.5 * 10 ** -decimals * (1 + 1e-9)
}

/** Floods and volcanoes have a severity of 0, which measures nothing. */
const severityOf = ({ severity }: DisasterEvent) => {
  const measured = within(positive(severity.value), 0, 1e12)
  if (measured === null) return null
  const [unit, text] = [cleanText(severity.unit, 20), cleanText(severity.text, 200)]
  return { value: isContradicted(measured, unit, text) ? null : measured, unit, text }
}

const flagOf = (flag: DisasterEvent["current"]): boolean | null =>
  typeof flag !== "string" ? flag : flag === "true" ? true : flag === "false" ? false : null

const disaster = (row: Feature | Item) => {
  const event = "properties" in row ? eventOfFeature(row) : eventOfItem(row)
  const type = types.get(event.type)
  const level = alertLevels.find((one) => one === event.level.trim().toLowerCase())
  const [from, updatedAt] = [instantOrNull(event.fromMs), instantOrNull(event.updatedMs)]
  if (type === undefined || level === undefined) return unreadable("its type or its level is none that is known")
  if (from === null || updatedAt === null) return unreadable("it has no begin or no time of its update")
  const place = cleanText(namesIn(event.country).join(", "), 500)
  return {
    id: `${event.type}${event.number}`,
    type,
    episode: Number.isSafeInteger(event.episode) ? within(event.episode, 0, Number.MAX_SAFE_INTEGER) : null,
    name: cleanText(nameOf(type, place, cleanText(event.eventName, 120)), DISASTER_NAME_MAX_CHARACTERS),
    level,
    country: place === "" ? null : place,
    countries: countriesOf(event),
    from,
    to: instantOrNull(event.toMs),
    updatedAt,
    isCurrent: flagOf(event.current),
    latitude: event.point?.latitude ?? null,
    longitude: event.point?.longitude ?? null,
    severity: severityOf(event),
    url: event.number === null ? null : `${HOST}/report.aspx?eventtype=${event.type}&eventid=${event.number}`,
  }
}

/** Whether a feature is the centre of an event: only that has its position. */
const isCentre = (feature: unknown): boolean =>
  typeof feature === "object" &&
  feature !== null &&
  "properties" in feature &&
  typeof feature.properties === "object" &&
  feature.properties !== null &&
  (!("Class" in feature.properties) || feature.properties.Class === "Point_Centroid")

export default listSource({
  name: "gdacs",
  provider: "GDACS.alerts",
  fills: disasterAlerts,
  every: "5 minutes",
  documents: { map, feed },
  collect,
  // The first row of an event counts: its centre, or another shape if the centre is missing.
  rows: (collected) =>
    "features" in collected
      ? [...collected.features].sort((one, other) => Number(isCentre(other)) - Number(isCentre(one)))
      : (collected.rss.channel.item ?? []),
  row: Schema.Union([Feature, Item]),
  toItem: disaster,
  contentAtMs: (_, read) => newestMs(read.map(({ item }) => item.updatedAt)),
  facts: (_, read) => {
    const levels = [...new Map(read.map(({ item: { id, level } }) => [id, level])).values()]
    const count = (level: (typeof alertLevels)[number]) => levels.filter((one) => one === level).length
    return {
      total: levels.length,
      countsByLevel: { red: count("red"), orange: count("orange"), green: count("green") },
    }
  },
  attribution: {
    provider: "Global Disaster Alert and Coordination System (GDACS), European Union and United Nations",
    licence: "Copyright European Union; syndication allowed, provided the source is acknowledged",
    url: "https://www.gdacs.org/",
  },
  terms: termsOf({ use: "provider", url: "https://www.gdacs.org/About/termofuse.aspx" }),
})
