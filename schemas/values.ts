import * as Schema from "effect/Schema"

/** A text of at most `lengthMax` code points, as `cleanText` leaves it. */
export const TextUpTo = (lengthMax: number) => Schema.String.check(Schema.isMaxCodePoints(lengthMax))

/** A text of 1 to `lengthMax` code points, as `cleanText` leaves it. */
export const NonEmptyTextUpTo = (lengthMax: number) => Schema.NonEmptyString.check(Schema.isMaxCodePoints(lengthMax))

/** An address that may be shown as a link, as `httpUrl` leaves it: http or https, at most 2,048 characters. */
export const HttpUrl = Schema.String.check(Schema.isPattern(/^https?:\/\//), Schema.isMaxLength(2048)).annotate({
  identifier: "HttpUrl",
  description: "Address of a page, http or https",
})

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

/** Longer indicators are left out, as a truncated address is another address. */
export const INDICATOR_MAX_CHARACTERS = 2_048
export const TAGS_MAX = 10
export const TAG_MAX_CHARACTERS = 60

/** A malicious address or hash exactly as its provider writes it. It must not be opened, and replies defang it. */
export const Indicator = NonEmptyTextUpTo(INDICATOR_MAX_CHARACTERS)

/** Words that reporters file an indicator under. */
export const Tags = Schema.Array(NonEmptyTextUpTo(TAG_MAX_CHARACTERS)).check(Schema.isMaxLength(TAGS_MAX))
