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
