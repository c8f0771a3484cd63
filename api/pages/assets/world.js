// The page of the world: updates, searches and arranges it. Without scripts the page is complete but does not update; a page of
// the past never does.

import "./age.js"
import { chooseLayers, listPlaces, markLayers, writeLayers } from "./map/layers.js"
import { startMap } from "./map/map.js"
import { arrange } from "./world-arrange.js"
import { follow } from "./world-live.js"
import { searchTiles } from "./world-search.js"
import { writeTiles } from "./world-tiles.js"

/** @param {HTMLElement} page */
const start = (page) => {
  searchTiles(page)
  arrange(page)
  const map = startMap(page)
  const writePlaces = listPlaces(page, map)
  chooseLayers(page, () => {
    map.refresh()
    writePlaces()
  })
  if (page.dataset.world !== undefined)
    follow(page, {
      write: (world) => {
        writeTiles(page, world)
        writeLayers(page, world)
        map.write(world)
        writePlaces()
      },
      show: () => {
        if (markLayers(page)) map.refresh()
      },
    })
}

const page = document.querySelector(".world")
if (page instanceof HTMLElement) start(page)
