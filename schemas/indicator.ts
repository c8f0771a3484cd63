import * as Schema from "effect/Schema"
import { NonEmptyTextUpTo } from "./text.ts"

/** Longer indicators are left out, as a truncated address is another address. */
export const INDICATOR_MAX_CHARACTERS = 2_048
export const TAGS_MAX = 10
export const TAG_MAX_CHARACTERS = 60

/** A malicious address or hash exactly as its provider writes it. It must not be opened, and replies defang it. */
export const Indicator = NonEmptyTextUpTo(INDICATOR_MAX_CHARACTERS)

/** Words that reporters file an indicator under. */
export const Tags = Schema.Array(NonEmptyTextUpTo(TAG_MAX_CHARACTERS)).check(Schema.isMaxLength(TAGS_MAX))
