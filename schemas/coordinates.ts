import * as Schema from "effect/Schema"

/** Degrees north. */
export const Latitude = Schema.Finite.check(Schema.isBetween({ minimum: -90, maximum: 90 }))

/** Degrees east. */
export const Longitude = Schema.Finite.check(Schema.isBetween({ minimum: -180, maximum: 180 }))
