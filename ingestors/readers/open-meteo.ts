import type * as Duration from "effect/Duration"
import * as Schema from "effect/Schema"
import type { Feed, Parameters } from "../../schemas/feed.ts"
import { rounded } from "../../schemas/number.ts"
import { document, UpstreamError } from "../document.ts"
import { openMeteo, openMeteoTerms } from "../providers/open-meteo.ts"
import { type Attribution, type CollectInput, type Source, valueSource } from "../source.ts"
import { instantOrNull } from "./instants.ts"
import { distanceKm } from "./places.ts"
import { Decimal, EpochSeconds, isoMs, maybe } from "./wire.ts"

// What all services of Open-Meteo answer alike: https://open-meteo.com/en/docs

const between = (minimum: number, maximum: number) => Schema.Finite.check(Schema.isBetween({ minimum, maximum }))

/** Local time to the minute without its offset, or, where that was asked for, seconds since the epoch. */
export const PlaceTime = Schema.Union([Schema.String, EpochSeconds])

/** The label of each value's unit, by the value's name. */
export const Units = Schema.Record(Schema.String, Schema.Unknown)

/** The members of every answer: the centre of the model's grid cell, and the offset of its times. */
export const placeMembers = {
  latitude: between(-90, 90),
  longitude: between(-180, 180),
  elevation: maybe(Decimal),
  utc_offset_seconds: maybe(between(-86_400, 86_400)),
} as const
const Place = Schema.Struct(placeMembers)
type Place = typeof Place.Type

const Refusal = Schema.Struct({ error: Schema.Literal(true), reason: maybe(Schema.String) })

/** The wire schema of a service: one place is an object, several are an array, and a refusal is neither. */
const placeAnswer = <Wire extends Place>(place: Schema.Codec<Wire, unknown>) =>
  Schema.Union([Refusal, place, Schema.NonEmptyArray(place)])

/** How far the centre of a model's grid cell may lie from the point that was asked for: cells have up to 0.5 degrees. */
const CELL_DISTANCE_MAX_KM = 80

const isAskedPlace = (place: Place, { lat, lon }: Parameters): boolean =>
  distanceKm(place, { latitude: Number(lat), longitude: Number(lon) }) <= CELL_DISTANCE_MAX_KM

/** The place of an answer that was asked for. `service` names what was asked in the message of a failure. */
const askedPlace = <Wire extends Place>(
  answer: typeof Refusal.Type | Wire | ReadonlyArray<Wire>,
  parameters: Parameters,
  service: string,
): Wire | UpstreamError => {
  if ("error" in answer) return new UpstreamError({ message: `the ${service} was refused` })
  // No type of a place is an array, which the compiler cannot know of `Wire`.
  const places = (Array.isArray(answer) ? answer : [answer]) as ReadonlyArray<Wire>
  const place = places.find((one) => isAskedPlace(one, parameters))
  return place ?? new UpstreamError({ message: `the ${service} is of another place` })
}

/** The instant of a time at a place; null where it is unreadable. */
export const placeInstant = (time: typeof PlaceTime.Type, { utc_offset_seconds }: Place): string | null => {
  if (typeof time === "number") return instantOrNull(time * 1000)
  const localMs = isoMs(`${time}Z`)
  return localMs === null ? null : instantOrNull(localMs - (utc_offset_seconds ?? 0) * 1000)
}

const decodePlaces = Schema.decodeUnknownOption(Schema.Union([Place, Schema.NonEmptyArray(Place)]))

/** The parameters of a recorded answer: those of its first place. */
const recordedPlace = (wire: unknown): Parameters | null => {
  const places = decodePlaces(wire)
  if (places._tag === "None") return null
  const { latitude, longitude } = "latitude" in places.value ? places.value : places.value[0]
  return { lat: String(rounded(latitude, 2)), lon: String(rounded(longitude, 2)) }
}

/** The address of a service below `host`: customers have hosts of their own, and their key stands in the query. */
const openMeteoUrl = (
  host: string,
  path: string,
  query: Readonly<Record<string, string>>,
  key: string | null,
): string =>
  `https://${key === null ? "" : "customer-"}${host}${path}?${new URLSearchParams({
    ...query,
    ...(key === null ? {} : { apikey: key }),
  })}`

const BODY_MAX_BYTES = 1024 * 1024

/** Declares a source of the values that one service of Open-Meteo has for a place now. */
export const placeSource = <Wire extends Place, Value extends { readonly at: string }>(definition: {
  readonly name: string
  readonly provider: string
  readonly fills: Feed<Value, Value>
  readonly every: Duration.Input
  readonly onDemand: NonNullable<Source["onDemand"]>
  /** What is asked, and what it should hold, as messages of failures name them. */
  readonly service: string
  readonly values: string
  /** The name of its document, the address, and the values that are asked for. */
  readonly document: {
    readonly name: string
    readonly host: string
    readonly path: string
    readonly variables: ReadonlyArray<string>
    readonly query?: Readonly<Record<string, string>>
  }
  readonly place: Schema.Codec<Wire, unknown>
  /** The values of a place; null if it has none for now. */
  readonly toValue: (place: Wire) => Value | null
  readonly attribution: Attribution
}): Source<typeof Refusal.Type | Wire | ReadonlyArray<Wire>, Value> => {
  const { service, values, place, toValue, document: asked, ...source } = definition
  const answer = document({
    format: "json",
    wire: placeAnswer(place),
    url: ({ parameters: { lat = "", lon = "" }, key }: CollectInput) => {
      const query = {
        latitude: lat,
        longitude: lon,
        current: asked.variables.join(","),
        ...asked.query,
        timezone: "GMT",
      }
      return openMeteoUrl(asked.host, asked.path, query, key)
    },
    bodyBytesMax: BODY_MAX_BYTES,
  })
  return valueSource({
    ...source,
    access: openMeteo,
    documents: { [asked.name]: answer },
    collect: (upstream, collection) => upstream.fetch(answer, collection),
    normalise: (collected, { parameters }) => {
      const found = askedPlace(collected, parameters, service)
      if (found instanceof UpstreamError) return found
      const payload = toValue(found)
      if (payload === null) return new UpstreamError({ message: `the ${service} holds no ${values}` })
      return { payload, contentAtMs: Date.parse(payload.at) }
    },
    recordedParameters: recordedPlace,
    terms: openMeteoTerms,
  })
}
