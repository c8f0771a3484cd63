const wordsOf = (text: string): ReadonlyArray<string> => text.split(/[^A-Za-z0-9]+/).filter((word) => word !== "")

/** `pro_feed_reliability` as `ProFeedReliability`: the name of a type. */
export const pascalCase = (text: string): string =>
  wordsOf(text)
    .map((word) => `${word.charAt(0).toUpperCase()}${word.slice(1)}`)
    .join("")

/** `pro_feed_reliability` as `proFeedReliability`: the name of a method. */
export const camelCase = (text: string): string => {
  const name = pascalCase(text)
  return `${name.charAt(0).toLowerCase()}${name.slice(1)}`
}
