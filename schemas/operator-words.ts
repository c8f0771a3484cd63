import * as Schema from "effect/Schema"

const WORDS_MAX_CHARACTERS = 500
const Words = Schema.NonEmptyString.check(Schema.isMaxLength(WORDS_MAX_CHARACTERS))

/** Who of the operators has done something, and why: members of the events that say so. */
export const operatorWords = { operator: Words, reason: Words } as const

/** The same as a whole. */
export const OperatorWords = Schema.Struct(operatorWords)
