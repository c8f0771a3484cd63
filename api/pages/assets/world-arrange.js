import { part, parts, say } from "./world-parts.js"

// The order of tiles and which are hidden, stored in this browser.

const KEY = "tidewire.world"
const NAMES_MAX = 200

/**
 * @typedef {object} Arrangement
 * @property {ReadonlyArray<string>} order Names of tiles; those that are not named stand behind, as the page has them.
 * @property {ReadonlyArray<string>} hidden
 */

/** @type {Arrangement} */
const NOTHING = { order: [], hidden: [] }

/**
 * @param {unknown} value
 * @returns {ReadonlyArray<string>}
 */
const namesIn = (value) =>
  Array.isArray(value) ? value.filter((one) => typeof one === "string").slice(0, NAMES_MAX) : []

/**
 * The stored arrangement; `NOTHING` if storage is unavailable or holds something else.
 * @returns {Arrangement}
 */
const recall = () => {
  try {
    const value = JSON.parse(localStorage.getItem(KEY) ?? "{}")
    return { order: namesIn(value?.order), hidden: namesIn(value?.hidden) }
  } catch {
    return NOTHING
  }
}

/**
 * Stores an arrangement. If storage is unavailable, it lasts as long as the page.
 * @param {Arrangement} arrangement
 */
const remember = (arrangement) => {
  try {
    if (arrangement.order.length + arrangement.hidden.length === 0) localStorage.removeItem(KEY)
    else localStorage.setItem(KEY, JSON.stringify(arrangement))
  } catch {
    return
  }
}

/** @param {HTMLElement} tile */
const nameOf = (tile) => tile.dataset.tile ?? ""

/** @param {HTMLElement} tile */
const titleOf = (tile) => part(tile, "h3").textContent ?? ""

/**
 * Moves the named tiles to the front of their groups, in the order of the names.
 * @param {HTMLElement} page
 * @param {ReadonlyArray<string>} order
 */
const applyOrder = (page, order) => {
  for (const list of parts(page, ".tiles")) {
    const rank = (/** @type {HTMLElement} */ tile) => {
      const at = order.indexOf(nameOf(tile))
      return at < 0 ? order.length : at
    }
    const tiles = parts(list, ".tile")
    // The sort is stable, so tiles without a name in the order keep their places.
    const wanted = tiles.toSorted((one, other) => rank(one) - rank(other))
    // Tiles that are appended are laid out anew, also where none of them moves.
    if (wanted.some((tile, at) => tile !== tiles[at])) list.append(...wanted)
  }
}

/**
 * Lets a reader order and hide tiles, by mouse and keyboard alike, and remembers it.
 * @param {HTMLElement} page
 */
export const arrange = (page) => {
  const toggle = part(page, "[data-arrange]")
  const reset = part(page, "[data-reset]")
  const first = parts(page, ".tile").map(nameOf)

  const save = () => {
    const order = parts(page, ".tile").map(nameOf)
    const hidden = parts(page, ".tile[data-hidden]").map(nameOf)
    remember({ order: order.join() === first.join() ? [] : order, hidden })
  }

  /**
   * @param {HTMLElement} tile
   * @param {boolean} isHidden
   */
  const hide = (tile, isHidden) => {
    tile.toggleAttribute("data-hidden", isHidden)
    const button = tile.querySelector("[data-hide]")
    if (button !== null) button.textContent = isHidden ? "Show" : "Hide"
  }

  /** @param {Arrangement} arrangement */
  const apply = ({ order, hidden }) => {
    applyOrder(page, order.length === 0 ? first : order)
    for (const tile of parts(page, ".tile")) hide(tile, hidden.includes(nameOf(tile)))
  }

  /**
   * @param {HTMLElement} tile
   * @param {HTMLElement} button
   * @param {-1 | 1} step
   */
  const move = (tile, button, step) => {
    const list = tile.parentElement
    const other = step < 0 ? tile.previousElementSibling : tile.nextElementSibling
    if (list === null || other === null) return
    if (step < 0) other.before(tile)
    else other.after(tile)
    // A moved element loses the focus.
    button.focus()
    const all = parts(list, ".tile")
    say(page, `${titleOf(tile)} is ${all.indexOf(tile) + 1} of ${all.length}`)
    save()
  }

  /**
   * @param {HTMLElement} tile
   * @param {string} text
   * @param {string} label
   * @param {(button: HTMLElement) => void} press
   */
  const addButton = (tile, text, label, press) => {
    const button = document.createElement("button")
    button.type = "button"
    button.textContent = text
    button.setAttribute("aria-label", label)
    button.addEventListener("click", () => press(button))
    part(tile, "[data-buttons]").append(button)
    return button
  }

  /** @param {HTMLElement} tile */
  const addButtons = (tile) => {
    const row = document.createElement("p")
    row.dataset.buttons = ""
    row.className = "buttons"
    tile.append(row)
    const title = titleOf(tile)
    addButton(tile, "\u2190", `Move ${title} earlier`, (button) => move(tile, button, -1))
    addButton(tile, "\u2192", `Move ${title} later`, (button) => move(tile, button, 1))
    const hider = addButton(tile, "Hide", "", () => {
      const isHidden = !tile.hasAttribute("data-hidden")
      hide(tile, isHidden)
      say(page, `${title} is ${isHidden ? "hidden" : "shown"}`)
      save()
    })
    hider.dataset.hide = ""
    hider.removeAttribute("aria-label")
    hide(tile, tile.hasAttribute("data-hidden"))
  }

  toggle.addEventListener("click", () => {
    const isOn = toggle.getAttribute("aria-pressed") !== "true"
    toggle.setAttribute("aria-pressed", String(isOn))
    toggle.textContent = isOn ? "Done" : "Arrange"
    page.toggleAttribute("data-arranging", isOn)
    reset.hidden = !isOn
    for (const tile of parts(page, ".tile"))
      if (isOn) addButtons(tile)
      else part(tile, "[data-buttons]").remove()
    say(page, isOn ? "Move or hide tiles; this browser remembers it" : "")
  })

  reset.addEventListener("click", () => {
    apply(NOTHING)
    remember(NOTHING)
    say(page, "Every tile is shown, in the first order")
  })

  apply(recall())
}
