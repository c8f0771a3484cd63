// Updates the page of the world, moves its map, and shows it as it was. A page of the past is updated by its slider alone.

import "./age.js"
import { chooseLayers, listPlaces, markLayers, writeLayers } from "./map/layers.js"
import { startMap } from "./map/map.js"
import { follow } from "./world-live.js"
import { leavePast, writePast } from "./world-past.js"
import { writeTiles } from "./world-tiles.js"
import { startTime } from "./world-time.js"

/** @typedef {import("./world-view.js").World} World */

/** Lets the browser paint and hear the reader; what follows goes on before other tasks, where the browser knows how. */
const pause = () =>
  "scheduler" in window && "yield" in window.scheduler
    ? window.scheduler.yield()
    : new Promise((resolve) => setTimeout(resolve))

/**
 * Starts part after part, with pauses between. The map is drawn last, when everything is there.
 * @param {HTMLElement} page
 */
export const startUpdates = async (page) => {
  await pause()
  const map = startMap(page)
  const writePlaces = listPlaces(page, map)
  chooseLayers(page, () => {
    map.refresh()
    writePlaces()
  })

  await pause()
  /** The instant that the page shows; null for now. */
  let at = page.dataset.at ?? null
  const write = (/** @type {World} */ world) => {
    writeTiles(page, world, at)
    writeLayers(page, world, at !== null)
    map.write(world)
    writePlaces()
    markLayers(page, at !== null)
  }
  const live =
    page.dataset.world === undefined
      ? null
      : follow(page, {
          write,
          show: () => {
            if (markLayers(page)) map.refresh()
          },
        })
  await pause()
  startTime(page, {
    at,
    showPast: (world, instant) => {
      at = instant
      live?.pause()
      write(world)
      writePast(page, world, instant)
    },
    showNow: () => {
      // A page of the past came without what follows the present.
      if (live === null) return location.assign("/")
      at = null
      leavePast(page)
      live.resume()
    },
  })
  await pause()
  map.begin()
}
