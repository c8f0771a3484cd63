import type * as Schema from "effect/Schema"
import * as SchemaAST from "effect/SchemaAST"

// What schemas say of members beside their type: the unit, and whether they change without new content.

/** The annotation key of the unit of a member whose name does not hold it. */
export const UNIT = "unit"

/** An annotation of a type, or of the types that it unites. */
export const annotationOf = (ast: SchemaAST.AST, key: string): string | null => {
  const own = SchemaAST.resolve(ast)?.[key]
  if (typeof own === "string") return own
  if (!SchemaAST.isUnion(ast)) return null
  return ast.types.map((one) => annotationOf(one, key)).find((one) => one !== null) ?? null
}

/** Units as they end names of members, in words. */
const endings: ReadonlyArray<readonly [ending: string, unit: string]> = [
  ["_usd", "US dollars"],
  ["_percent", "percent"],
  ["_eth", "ETH"],
  ["_btc", "BTC"],
  ["_gwei", "gwei"],
  ["_sat", "satoshi"],
  ["_km", "km"],
  ["_ms", "milliseconds"],
  ["_seconds", "seconds"],
  ["_minutes", "minutes"],
  ["_hours", "hours"],
  ["_days", "days"],
  ["_mph", "mph"],
  ["_mw", "MW"],
  ["_f", "°F"],
  ["_cm3", "per cm³"],
  ["_km_s", "km/s"],
  ["_eh_s", "EH/s"],
]

/** The unit that the name of a number holds; null where it holds none. The longest ending counts. */
const unitInName = (name: string): string | null =>
  endings
    .filter(([ending]) => name.endsWith(ending))
    .sort(([one], [other]) => other.length - one.length)
    .map(([, unit]) => unit)[0] ?? null

const holdsNumber = (ast: SchemaAST.AST): boolean =>
  SchemaAST.isUnion(ast) ? ast.types.some(holdsNumber) : SchemaAST.isNumber(ast)

const NESTING_MAX = 30

const unitsWithin = function* (
  ast: SchemaAST.AST,
  place: string,
  depth: number,
): Generator<readonly [place: string, unit: string]> {
  if (depth > NESTING_MAX) return
  if (SchemaAST.isUnion(ast)) for (const type of ast.types) yield* unitsWithin(type, place, depth + 1)
  if (SchemaAST.isArrays(ast)) for (const type of ast.rest) yield* unitsOfMember(type, `${place}[]`, null, depth + 1)
  if (!SchemaAST.isObjects(ast)) return
  const inner = (name: string) => (place === "" ? name : `${place}.${name}`)
  for (const { name, type } of ast.propertySignatures)
    yield* unitsOfMember(type, inner(String(name)), String(name), depth + 1)
  for (const { type } of ast.indexSignatures) yield* unitsOfMember(type, inner("<key>"), null, depth + 1)
}

const unitsOfMember = function* (
  type: SchemaAST.AST,
  place: string,
  name: string | null,
  depth: number,
): Generator<readonly [place: string, unit: string]> {
  const unit = annotationOf(type, UNIT) ?? (name !== null && holdsNumber(type) ? unitInName(name) : null)
  if (unit !== null) yield [place, unit]
  yield* unitsWithin(type, place, depth)
}

/** The units of a schema's members by their places, as `fieldsOf` spells these: as annotated, else as their names have it. */
export const unitsOf = (schema: Schema.Top): ReadonlyMap<string, string> => {
  const units = new Map<string, string>()
  for (const [place, unit] of unitsWithin(schema.ast, "", 0)) if (!units.has(place)) units.set(place, unit)
  return units
}

/** The annotation key of volatile members of replies. */
export const VOLATILE = "volatile"

/**
 * Marks a member of a reply that changes without new content of a source: with the clock, or with each measurement. Two
 * reads of equal data differ in such members alone.
 */
export const volatile = <S extends Schema.Top>(schema: S): S["Rebuild"] => schema.annotate({ [VOLATILE]: true })
