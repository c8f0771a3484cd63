// The page of the world, which the server draws. Without scripts it is complete but does not update. It is arranged and searched
// from the first moment. The modules that update it are loaded after the first paint, so that they do not delay it.

import { arrange } from "./world-arrange.js"
import { part, parts, say } from "./world-parts.js"

/** Whether keys go into a field, so that none of them is a command. @param {EventTarget | null} target */
const isField = (target) =>
  target instanceof HTMLElement &&
  (target.isContentEditable || ["INPUT", "TEXTAREA", "SELECT"].includes(target.tagName))

/**
 * The search of the tiles: those that hold every word stay. The page keeps its height meanwhile, so that the field stays where it
 * is; `/` leads to it.
 * @param {HTMLElement} page
 */
const searchTiles = (page) => {
  const form = part(page, "[data-tools]")
  const field = part(page, "[data-search]")
  const nothing = part(page, "[data-nothing]")
  if (!(field instanceof HTMLInputElement)) return
  const narrow = () => {
    const words = field.value.toLowerCase().split(/\s+/)
    const tiles = parts(page, ".tile")
    for (const tile of tiles) {
      const text = (tile.textContent ?? "").toLowerCase()
      tile.toggleAttribute(
        "data-unmatched",
        words.some((word) => !text.includes(word)),
      )
    }
    const found = tiles.filter((tile) => !tile.hasAttribute("data-unmatched")).length
    const isSearching = field.value.trim() !== ""
    page.toggleAttribute("data-searching", isSearching)
    nothing.hidden = !isSearching || found > 0
    say(page, isSearching ? (found === 0 ? "No tile has these words" : `${found} of ${tiles.length} tiles`) : "")
  }
  field.addEventListener("input", narrow)
  field.addEventListener("keydown", (event) => {
    if (event.key !== "Escape" || field.value === "") return
    field.value = ""
    narrow()
  })
  document.addEventListener("keydown", (event) => {
    if (event.key !== "/" || event.ctrlKey || event.metaKey || event.altKey || isField(event.target)) return
    event.preventDefault()
    field.focus()
  })
  form.addEventListener("submit", (event) => event.preventDefault())
  // A reload may keep what was typed.
  if (field.value !== "") narrow()
}

/** @param {HTMLElement} page */
const update = async (page) => {
  const { startUpdates } = await import("./world-updates.js")
  startUpdates(page)
}

/** Updates the page once the next frame is painted: the first one may be painted after everything is loaded. @param {HTMLElement} page */
const updateAfterPaint = (page) => requestAnimationFrame(() => setTimeout(update, 0, page))

const page = document.querySelector(".world")
if (page instanceof HTMLElement) {
  searchTiles(page)
  arrange(page)
  if (document.readyState === "complete") updateAfterPaint(page)
  else addEventListener("load", () => updateAfterPaint(page), { once: true })
}
