/** The paths of a reply's null members, as notes name them: elements of a list share one path, which ends in `[]`. */
export const nullMembers = (reply: unknown): ReadonlyArray<string> => {
  const found = new Set<string>()
  const walk = (value: unknown, path: ReadonlyArray<string>): void => {
    if (value === null) found.add(path.join(".").replaceAll(".[]", "[]"))
    else if (typeof value === "object")
      for (const [name, one] of Object.entries(value)) walk(one, [...path, Array.isArray(value) ? "[]" : name])
  }
  walk(reply, [])
  return [...found]
}
