// The page of the world, which the server draws. Without scripts it is complete but does not update. It is arranged and searched
// from the first moment. The modules that update it are loaded after the first paint, so that they do not delay it.

import { arrange } from "./world-arrange.js"
import { searchTiles } from "./world-search.js"

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
