/** The names of members that are null anywhere in a reply, and have no note under that name. */
export const nullsWithoutNote = (reply: {
  readonly notes: Readonly<Record<string, string>>
}): ReadonlyArray<string> => {
  const found = new Set<string>()
  const walk = (value: unknown, name: string): void => {
    if (value === null) found.add(name)
    else if (Array.isArray(value)) for (const one of value) walk(one, name)
    else if (typeof value === "object") for (const [key, one] of Object.entries(value)) walk(one, key)
  }
  const { notes, ...members } = reply
  walk(members, "")
  return [...found].filter((name) => (notes[name] ?? "") === "")
}
