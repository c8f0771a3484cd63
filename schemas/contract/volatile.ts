import type * as Schema from "effect/Schema"

/** The annotation key of volatile members of replies. */
export const VOLATILE = "volatile"

/**
 * Marks a member of a reply that changes without new content of a source: with the clock, or with each measurement. Two
 * reads of equal data differ in such members alone.
 */
export const volatile = <S extends Schema.Top>(schema: S): S["Rebuild"] => schema.annotate({ [VOLATILE]: true })
