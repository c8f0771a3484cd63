// What stands around the map: the legend, by which a reader chooses the kinds of places, the most severe of each kind, and the
// list of all.

import { part, parts } from "../world-parts.js"
import { tilesIn, writeTime } from "../world-tiles.js"
import { countText, emptyText, instantText, isCurrentLayer, severest } from "../world-view.js"

/** @typedef {import("../world-view.js").World} World */
/** @typedef {import("../world-view.js").Point} Point */
/** @typedef {import("./gather.js").Spot} Spot */

/** Places that the list names; the map has all. */
const LISTED_MAX = 400

/**
 * @template {keyof HTMLElementTagNameMap} Tag
 * @param {Tag} tag
 * @param {...(Node | string)} content
 */
const element = (tag, ...content) => {
  const made = document.createElement(tag)
  made.append(...content)
  return made
}

/**
 * When something happened. What will happen, as a launch, has its time in its title.
 * @param {string | null} at
 * @param {string} generatedAt
 * @param {boolean} isPast Whether the page shows an earlier instant, of which ages say nothing.
 */
const timeOf = (at, generatedAt, isPast) => {
  if (at === null || at > generatedAt) return []
  const time = element("time", instantText(at))
  time.dateTime = at
  if (!isPast) time.dataset.age = ""
  return [" ", time]
}

/**
 * A row of the list: the shape of the legend, the point, and the link of its tile.
 * @param {HTMLElement} page
 * @param {string} name
 * @param {Point} point
 * @param {ReadonlyArray<Node | string>} time
 */
const rowOf = (page, name, { title }, time) => {
  const key = page.querySelector(`.legend [data-key="${CSS.escape(name)}"]`)
  const link = page.querySelector(`[data-tile="${CSS.escape(name)}"] h3 a`)
  const small = element("small", ...(link === null ? [name] : [link.cloneNode(true)]), ...time)
  const row = element("li", ...(key === null ? [] : [key.cloneNode(true)]))
  row.append(element("span", title, element("br"), small))
  row.dataset.kind = name
  return row
}

/** @type {ReadonlyArray<string> | null} The points that were listed last; null before the first time. */
let listed = null

/**
 * Lists the most severe point of each kind, if they have changed. A link that has the focus keeps it; what is new is marked.
 * @param {HTMLElement} page
 * @param {World} world
 * @param {boolean} isPast
 */
const listSeverest = (page, { marks, generated_at: generatedAt }, isPast) => {
  const points = severest(marks)
  const before = listed
  listed = points.map(({ name, point }) => JSON.stringify([name, point]))
  if (before?.join() === listed.join() && !isPast) return
  const rows = points.map(({ name, point }, at) => {
    const row = rowOf(page, name, point, timeOf(point.at, generatedAt, isPast))
    row.classList.toggle("changed", !isPast && before !== null && !before.includes(listed?.[at] ?? ""))
    return row
  })
  part(page, "[data-severest]").replaceChildren(...rows)
  showChosen(page)
}

/** @param {HTMLElement} page */
const boxesIn = (page) => parts(page, "[data-shows]").filter((one) => one instanceof HTMLInputElement)

/**
 * Shows the kinds that are chosen, on the map and in the list of the most severe.
 * @param {HTMLElement} page
 */
const showChosen = (page) => {
  const off = new Set(boxesIn(page).flatMap(({ checked, dataset }) => (checked ? [] : [dataset.shows ?? ""])))
  for (const group of page.querySelectorAll("[data-layer]"))
    group.toggleAttribute("data-off", off.has(group.getAttribute("data-layer") ?? ""))
  const rows = parts(page, "[data-kind]")
  for (const row of rows) row.hidden = off.has(row.dataset.kind ?? "")
  part(page, "[data-severest]").toggleAttribute(
    "data-none",
    rows.every(({ hidden }) => hidden),
  )
}

/**
 * Writes the counts of the legend and the most severe places of a world.
 * @param {HTMLElement} page
 * @param {World} world
 * @param {boolean} [isPast] False unless given.
 */
export const writeLayers = (page, world, isPast = false) => {
  for (const layer of world.marks) {
    const group = page.querySelector(`[data-layer="${CSS.escape(layer.name)}"]`)
    if (group === null) continue
    group.toggleAttribute("data-unknown", !layer.known)
    const count = part(page, `[data-count="${CSS.escape(layer.name)}"]`)
    const text = countText(layer)
    if (count.textContent !== text) count.textContent = text
  }
  listSeverest(page, world, isPast)
}

/**
 * Fades the layers that are not current, shows their age, and says what an empty list means: by the tiles as they stand at this
 * moment. Gives whether a layer has changed.
 * @param {HTMLElement} page
 * @param {boolean} [isPast] False unless given.
 */
export const markLayers = (page, isPast = false) => {
  const tiles = tilesIn(page)
  const layers = [...page.querySelectorAll("[data-layer]")].map((group) => ({
    group,
    name: group.getAttribute("data-layer") ?? "",
    known: !group.hasAttribute("data-unknown"),
    harmless: group.hasAttribute("data-harmless"),
  }))
  let hasChanged = false
  for (const layer of layers) {
    const isOld = !isCurrentLayer(layer, tiles)
    if (layer.group.hasAttribute("data-old") !== isOld) hasChanged = true
    layer.group.toggleAttribute("data-old", isOld)
    const entry = page.querySelector(`[data-entry="${CSS.escape(layer.name)}"]`)
    entry?.toggleAttribute("data-old", isOld)
    const asOf = tiles.find(({ name }) => name === layer.name)?.asOf ?? null
    const age = entry?.querySelector("[data-layer-age] time")
    if (age instanceof HTMLElement) writeTime(age, asOf, isPast)
  }
  part(page, "[data-severest]").dataset.empty = emptyText({ marks: layers, tiles })
  return hasChanged
}

/**
 * Lets a reader choose the kinds of places that are shown.
 * @param {HTMLElement} page
 * @param {() => void} onChosen
 */
export const chooseLayers = (page, onChosen) => {
  for (const box of boxesIn(page)) {
    box.addEventListener("change", () => {
      showChosen(page)
      onChosen()
    })
  }
  showChosen(page)
}

/**
 * The list of all places that are shown, each of which leads to its card. It is made when it is opened.
 * @param {HTMLElement} page
 * @param {{ readonly spots: () => ReadonlyArray<Spot>, readonly open: (spot: Spot) => void }} map
 */
export const listPlaces = (page, { spots, open }) => {
  const list = part(page, "[data-places]")
  const rows = part(list, "[data-place-rows]")
  const write = () => {
    if (!(list instanceof HTMLDetailsElement) || !list.open) return
    const all = spots()
    const shown = all.slice(0, LISTED_MAX)
    const made = shown.map((spot) => {
      const button = element("button", spot.point.title)
      button.type = "button"
      button.addEventListener("click", () => open(spot))
      const key = page.querySelector(`.legend [data-key="${CSS.escape(spot.layer)}"]`)
      return element("li", ...(key === null ? [] : [key.cloneNode(true)]), button)
    })
    rows.replaceChildren(...made)
  }
  list.addEventListener("toggle", write)
  return write
}
