/** The paths of a value's null members; elements of a list share one path, which ends in `[]`. */
export const nullPaths = (value: unknown, path = ""): ReadonlySet<string> => {
  if (value === null) return new Set([path])
  if (Array.isArray(value)) return new Set(value.flatMap((one) => [...nullPaths(one, `${path}[]`)]))
  if (typeof value !== "object") return new Set()
  const below = path === "" ? "" : `${path}.`
  return new Set(Object.entries(value).flatMap(([name, one]) => [...nullPaths(one, `${below}${name}`)]))
}

/** The reason where none is declared for a path. */
const NOT_STATED = "Null where the source does not state it."

/**
 * A note for each null member of some data, by its path: the reason declared for it, or for the nearest member that it is
 * part of.
 */
export const nullNotes = (
  data: object,
  reasons: Readonly<Record<string, string>>,
): Readonly<Record<string, string>> => {
  const reasonOf = (path: string): string => {
    for (let at = path; at !== ""; at = at.slice(0, Math.max(at.lastIndexOf("."), 0)))
      if (Object.hasOwn(reasons, at)) return reasons[at] ?? NOT_STATED
    return NOT_STATED
  }
  return Object.fromEntries([...nullPaths(data)].map((path) => [path, reasonOf(path)]))
}
