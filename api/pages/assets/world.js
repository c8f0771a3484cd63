// The page of the world: kept true without a reload, searched and arranged. Without this script it is complete, and still.

import "./age.js"
import { arrange } from "./world-arrange.js"
import { follow } from "./world-live.js"
import { drawLayers, toggleLayers } from "./world-map.js"
import { search } from "./world-search.js"
import { writeTiles } from "./world-tiles.js"

const page = document.querySelector("[data-world]")

if (page instanceof HTMLElement) {
  search(page)
  arrange(page)
  toggleLayers(page)
  follow(page, (world) => {
    writeTiles(page, world)
    drawLayers(page, world)
  })
}
