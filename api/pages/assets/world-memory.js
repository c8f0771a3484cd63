// The order of tiles and what is hidden, remembered in this browser alone.

const KEY = "tidewire.world"
const NAMES_MAX = 200

/**
 * @typedef {object} Arrangement
 * @property {ReadonlyArray<string>} order Names of tiles; those that are not named stand behind, as the page has them.
 * @property {ReadonlyArray<string>} hidden
 */

/** @type {Arrangement} */
export const NOTHING = { order: [], hidden: [] }

/**
 * @param {unknown} value
 * @returns {ReadonlyArray<string>}
 */
const namesIn = (value) =>
  Array.isArray(value) ? value.filter((one) => typeof one === "string").slice(0, NAMES_MAX) : []

/**
 * What is remembered; nothing where storage is closed to pages or holds something else.
 * @returns {Arrangement}
 */
export const recall = () => {
  try {
    const value = JSON.parse(localStorage.getItem(KEY) ?? "{}")
    return { order: namesIn(value?.order), hidden: namesIn(value?.hidden) }
  } catch {
    return NOTHING
  }
}

/**
 * Remembers an arrangement. Where storage is closed it lasts as long as the page.
 * @param {Arrangement} arrangement
 */
export const remember = (arrangement) => {
  try {
    if (arrangement.order.length + arrangement.hidden.length === 0) localStorage.removeItem(KEY)
    else localStorage.setItem(KEY, JSON.stringify(arrangement))
  } catch {
    return
  }
}
