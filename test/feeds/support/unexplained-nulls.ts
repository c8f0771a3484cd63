/** The paths of all members of a value that are null. */
export const nullPaths = (value: unknown, path: ReadonlyArray<string> = []): ReadonlyArray<ReadonlyArray<string>> => {
  if (value === null) return [path]
  return typeof value === "object"
    ? Object.entries(value).flatMap(([name, member]) => nullPaths(member, [...path, name]))
    : []
}

/** The null members of a premium reply of which no note of theirs, or of what they stand in, says why. */
export const unexplainedNulls = <Data extends { readonly notes: Readonly<Record<string, string>> }>(
  data: Data,
): ReadonlyArray<string> =>
  nullPaths(data)
    .filter((path) => !path.some((name) => /\bnull\b/i.test(data.notes[name] ?? "")))
    .map((path) => path.join("."))
