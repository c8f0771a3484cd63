/** A JSON Schema document in the form that Effect generates. */
export interface SchemaDocument {
  readonly schema: unknown
  readonly definitions: Readonly<Record<string, unknown>>
}

type Node = Readonly<Record<string, unknown>>

const isNode = (value: unknown): value is Node => typeof value === "object" && value !== null && !Array.isArray(value)
const list = (value: unknown): ReadonlyArray<unknown> => (Array.isArray(value) ? value : [])
const members = (value: unknown): Node => (isNode(value) ? value : {})

/** Depth to which schemas are compared, which bounds recursive ones. */
const DEPTH_MAX = 24

/** Constraints by the direction in which they become tighter. */
const growing = ["minimum", "exclusiveMinimum", "minLength", "minItems", "minProperties"] as const
const shrinking = ["maximum", "exclusiveMaximum", "maxLength", "maxItems", "maxProperties"] as const
const fixed = ["pattern", "format", "multipleOf", "const"] as const

/** The node behind references, with the members of its `allOf` beside its own. */
const resolve = (value: unknown, { definitions }: SchemaDocument): Node => {
  let node = members(value)
  for (let hops = 0; typeof node.$ref === "string" && hops < DEPTH_MAX; hops += 1)
    node = members(definitions[node.$ref.replace("#/$defs/", "")])
  return Object.assign({}, node, ...list(node.allOf).map(members))
}

const typesOf = (node: Node): ReadonlyArray<unknown> =>
  node.type === undefined ? [] : Array.isArray(node.type) ? node.type : [node.type]

const acceptsType = (types: ReadonlyArray<unknown>, type: unknown): boolean =>
  types.length === 0 || types.includes(type) || (type === "integer" && types.includes("number"))

const compareConstraints = (before: Node, after: Node): ReadonlyArray<string> => {
  const problems: Array<string> = []
  const tighter = (name: string, isTighter: (old: number, now: number) => boolean) => {
    const [old, now] = [before[name], after[name]]
    if (typeof now === "number" && (typeof old !== "number" || isTighter(old, now)))
      problems.push(`${name} narrowed from ${String(old ?? "none")} to ${now}`)
  }
  for (const name of growing) tighter(name, (old, now) => now > old)
  for (const name of shrinking) tighter(name, (old, now) => now < old)
  for (const name of fixed)
    if (after[name] !== undefined && before[name] !== after[name])
      problems.push(`${name} changed from ${String(before[name] ?? "none")} to ${String(after[name])}`)
  if (after.enum !== undefined) {
    const allowed = new Set(list(after.enum))
    if (before.enum === undefined && before.const === undefined) problems.push("values narrowed to a list")
    for (const value of before.enum === undefined ? list([before.const]) : list(before.enum))
      if (value !== undefined && !allowed.has(value)) problems.push(`value ${JSON.stringify(value)} removed`)
  }
  return problems
}

/**
 * The breaking changes from `before` to `after`: members that are gone or renamed, members newly required, and values that
 * `before` accepts and `after` does not. Empty when every document of `before` is valid in `after` without loss.
 * Widening (a new optional member, a further value, a looser bound) is not breaking.
 */
export const breakingChanges = (before: SchemaDocument, after: SchemaDocument): ReadonlyArray<string> => {
  const compare = (oldValue: unknown, nowValue: unknown, path: string, depth: number): ReadonlyArray<string> => {
    if (depth > DEPTH_MAX) return []
    const [old, now] = [resolve(oldValue, before), resolve(nowValue, after)]
    const next = (a: unknown, b: unknown, at: string) => compare(a, b, at, depth + 1)

    const oldUnion = list(old.anyOf ?? old.oneOf)
    const nowUnion = list(now.anyOf ?? now.oneOf)
    if (oldUnion.length > 0) return oldUnion.flatMap((branch) => next(branch, nowValue, path))
    if (nowUnion.length > 0) {
      const attempts = nowUnion.map((branch) => next(old, branch, path))
      // The problems of the branch that fits best are reported.
      return attempts.reduce((best, one) => (one.length < best.length ? one : best))
    }

    const problems: Array<string> = []
    const types = typesOf(now)
    if (typesOf(old).length === 0 && types.length > 0) problems.push(`${path}: narrowed to ${types.join(" or ")}`)
    for (const type of typesOf(old))
      if (!acceptsType(types, type)) problems.push(`${path}: no longer accepts ${String(type)}`)
    problems.push(...compareConstraints(old, now).map((problem) => `${path}: ${problem}`))

    const [oldMembers, nowMembers] = [members(old.properties), members(now.properties)]
    for (const [name, member] of Object.entries(oldMembers))
      if (nowMembers[name] === undefined) problems.push(`${path}.${name}: removed`)
      else problems.push(...next(member, nowMembers[name], `${path}.${name}`))
    for (const name of list(now.required))
      if (!list(old.required).includes(name)) problems.push(`${path}.${String(name)}: newly required`)

    if (isNode(old.additionalProperties) && isNode(now.additionalProperties))
      problems.push(...next(old.additionalProperties, now.additionalProperties, `${path}.*`))
    else if (old.additionalProperties !== false && now.additionalProperties === false)
      problems.push(`${path}: no longer accepts further members`)

    if (now.items !== undefined) problems.push(...next(old.items ?? {}, now.items, `${path}[]`))
    for (const [index, item] of list(now.prefixItems).entries())
      problems.push(...next(list(old.prefixItems)[index] ?? {}, item, `${path}[${index}]`))
    return problems
  }
  return compare(before.schema, after.schema, "data", 0)
}
