// The words of a search, for the page that is asked for one and for the browser that searches further in it.

/** The characters and words of a search that are read. */
export const SEARCH_MAX_CHARACTERS = 80

/**
 * The words of a search, in lower case.
 * @param {string} text
 */
export const wordsOf = (text) =>
  text
    .slice(0, SEARCH_MAX_CHARACTERS)
    .toLowerCase()
    .split(/\s+/)
    .filter((word) => word !== "")

/**
 * Whether a text in lower case holds every word.
 * @param {string} text
 * @param {ReadonlyArray<string>} words
 */
export const holdsWords = (text, words) => words.every((word) => text.includes(word))
