// Finds the parts of the page, which stand in its markup as data attributes.

/**
 * The first element below `root` that a selector matches. The page holds each of its parts, so a missing one is a fault.
 * @param {ParentNode} root
 * @param {string} selector
 * @returns {HTMLElement}
 */
export const part = (root, selector) => {
  const found = root.querySelector(selector)
  if (!(found instanceof HTMLElement)) throw new Error(`the page has no ${selector}`)
  return found
}

/**
 * @param {ParentNode} root
 * @param {string} selector
 * @returns {ReadonlyArray<HTMLElement>}
 */
export const parts = (root, selector) =>
  [...root.querySelectorAll(selector)].filter((one) => one instanceof HTMLElement)

/**
 * Announces a text to screen readers.
 * @param {HTMLElement} page
 * @param {string} text
 */
export const say = (page, text) => {
  part(page, "[data-said]").textContent = text
}
