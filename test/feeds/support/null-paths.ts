/** The paths of the members of some data that are null, as `economic.cpi.value`; indices of lists are names too. */
export const nullPaths = (data: unknown, path: ReadonlyArray<string> = []): ReadonlyArray<string> => {
  if (data === null) return [path.join(".")]
  if (typeof data !== "object") return []
  return Object.entries(data).flatMap(([name, member]) => nullPaths(member, [...path, name]))
}
