/** The names of the members and list rows that lead to each null of some data, without those within `notes`. */
const nullsOf = (value: unknown, path: ReadonlyArray<string> = []): ReadonlyArray<ReadonlyArray<string>> => {
  if (value === null) return [path]
  if (typeof value !== "object") return []
  return Object.entries(value).flatMap(([name, member]) =>
    path.length === 0 && name === "notes" ? [] : nullsOf(member, [...path, name]),
  )
}

/**
 * The nulls of a premium reply's data that no note explains. A note explains the member that it is named after (`price`, or
 * `rows.price`) and what that member holds; one of a pair (`a/b`) what stands under both names.
 */
export const nullsWithoutNote = (data: object): ReadonlyArray<string> => {
  const notes = "notes" in data && typeof data.notes === "object" && data.notes !== null ? Object.keys(data.notes) : []
  const explained = notes.map((key) => key.split("/").map((name) => name.split(".").at(-1) ?? name))
  return nullsOf(data)
    .filter((path) => !explained.some((names) => names.every((name) => path.includes(name))))
    .map((path) => path.join("."))
}
