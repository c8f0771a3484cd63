const namesInOrder = (value: object): ReadonlyArray<string> =>
  // By UTF-16 code units, as RFC 8785 orders them and as `sort` does.
  Object.keys(value).sort()

const textOf = (text: string): string => {
  if (!text.isWellFormed()) throw new TypeError("a text with half of a surrogate pair has no canonical form")
  return JSON.stringify(text)
}

/**
 * The canonical text of a JSON value (RFC 8785): sorted members, shortest numbers, no white space. Throws a `TypeError` for
 * a value without one.
 */
export const canonicalJson = (value: unknown): string => {
  switch (typeof value) {
    case "string":
      return textOf(value)
    case "number":
      if (!Number.isFinite(value)) throw new TypeError("a number that is not finite has no canonical form")
      return JSON.stringify(value)
    case "boolean":
      return String(value)
    case "object": {
      if (value === null) return "null"
      if (Array.isArray(value)) return `[${value.map(canonicalJson).join(",")}]`
      const members: Readonly<Record<string, unknown>> = { ...value }
      return `{${namesInOrder(members)
        .map((name) => `${textOf(name)}:${canonicalJson(members[name])}`)
        .join(",")}}`
    }
    default:
      throw new TypeError(`${typeof value} has no canonical form`)
  }
}

/** SHA-256 over the canonical text, as 64 lower-case hex digits. */
export const canonicalSha256 = async (value: unknown): Promise<string> => {
  const digest = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(canonicalJson(value)))
  return Array.from(new Uint8Array(digest), (byte) => byte.toString(16).padStart(2, "0")).join("")
}
