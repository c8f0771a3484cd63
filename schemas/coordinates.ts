import * as Schema from "effect/Schema"

/** Which of the two coordinates a member is: the annotation `coordinate`. An item of a list with both has a place on a map. */
export type Coordinate = "latitude" | "longitude"

/** Degrees north. */
export const Latitude = Schema.Finite.check(Schema.isBetween({ minimum: -90, maximum: 90 })).annotate({
  coordinate: "latitude" satisfies Coordinate,
  unit: "degrees north",
})

/** Degrees east. */
export const Longitude = Schema.Finite.check(Schema.isBetween({ minimum: -180, maximum: 180 })).annotate({
  coordinate: "longitude" satisfies Coordinate,
  unit: "degrees east",
})
