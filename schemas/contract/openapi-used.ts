import type { Json } from "../json.ts"
import type { JsonObject } from "./openapi-responses.ts"

/** The components of a document that its paths refer to. */
export interface SharedComponents {
  readonly schemas: JsonObject
  readonly headers: JsonObject
  readonly responses: JsonObject
}

const COMPONENT = /^#\/components\/(schemas|headers|responses)\/([^/]+)$/

/** The references within a value, those of discriminators included. */
const referencesIn = function* (value: Json): Generator<string> {
  if (typeof value === "string") {
    if (COMPONENT.test(value)) yield value
  } else if (typeof value === "object" && value !== null)
    for (const one of Object.values(value)) yield* referencesIn(one)
}

/** The components that the paths refer to, themselves or through others. The rest would describe nothing. */
export const usedComponents = (paths: JsonObject, components: SharedComponents): SharedComponents => {
  const used = new Set<string>()
  const follow = (value: Json): void => {
    for (const reference of referencesIn(value)) {
      if (used.has(reference)) continue
      used.add(reference)
      const [, kind, name = ""] = COMPONENT.exec(reference) ?? []
      follow(components[kind as keyof SharedComponents][name] ?? null)
    }
  }
  follow(paths)
  const usedOf = (kind: keyof SharedComponents): JsonObject =>
    Object.fromEntries(Object.entries(components[kind]).filter(([name]) => used.has(`#/components/${kind}/${name}`)))
  return { schemas: usedOf("schemas"), headers: usedOf("headers"), responses: usedOf("responses") }
}
