// The page of the world: updates, searches and arranges it. Without scripts the page is complete but does not update; a page of
// the past never does.

import "./age.js"
import { arrange } from "./world-arrange.js"
import { follow } from "./world-live.js"
import { drawLayers, toggleLayers } from "./world-map.js"
import { part, parts, say } from "./world-parts.js"
import { writeTiles } from "./world-tiles.js"

/**
 * Shows the tiles that hold every word of the search field.
 * @param {HTMLElement} page
 */
const search = (page) => {
  const form = part(page, "[data-tools]")
  const field = part(page, "[data-search]")
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
    say(page, field.value.trim() === "" ? "" : `${found} of ${tiles.length} feeds`)
  }
  field.addEventListener("input", narrow)
  form.addEventListener("submit", (event) => event.preventDefault())
  form.hidden = false
  // A reload may keep what was typed.
  if (field.value !== "") narrow()
}

const page = document.querySelector(".world")

if (page instanceof HTMLElement) {
  search(page)
  arrange(page)
  toggleLayers(page)
  if (page.dataset.world !== undefined)
    follow(page, (world) => {
      writeTiles(page, world)
      drawLayers(page, world)
    })
}
