import { part, parts } from "./world-parts.js"
import { tilesIn } from "./world-tiles.js"
import { countText, emptyText, instantText, isCurrentLayer, severest, squareOf } from "./world-view.js"

/** @typedef {import("./world-view.js").World} World */
/** @typedef {import("./world-view.js").Layer} Layer */
/** @typedef {import("./world-view.js").Point} Point */

const SVG = "http://www.w3.org/2000/svg"

/**
 * @param {string} name
 * @param {Point} point
 */
const markOf = (name, point) => {
  const mark = document.createElementNS(SVG, "use")
  const { x, y, size } = squareOf(point)
  for (const [key, value] of Object.entries({ href: `#shape-${name}`, x, y, width: size, height: size }))
    mark.setAttribute(key, value)
  const title = document.createElementNS(SVG, "title")
  title.textContent = point.title
  mark.append(title)
  return mark
}

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
 * A row of the list: the shape of the legend, the point, and the link of its tile.
 * @param {HTMLElement} page
 * @param {string} name
 * @param {Point} point
 * @param {string} generatedAt
 */
const rowOf = (page, name, { title, at }, generatedAt) => {
  const key = page.querySelector(`.legend [data-key="${CSS.escape(name)}"]`)
  const link = page.querySelector(`[data-tile="${CSS.escape(name)}"] h3 a`)
  const small = element("small", ...(link === null ? [name] : [link.cloneNode(true)]))
  // What will happen, as a launch, has its time in its title.
  if (at !== null && at <= generatedAt) {
    const time = element("time", instantText(at))
    time.dateTime = at
    time.dataset.age = ""
    small.append(" ", time)
  }
  const text = element("span", title, document.createElement("br"), small)
  return element("li", ...(key === null ? [] : [key.cloneNode(true)]), text)
}

/** @type {ReadonlyArray<string> | null} The points that were listed last; null before the first time. */
let listed = null

/**
 * Lists the most severe points, if they have changed. A link that has the focus keeps it; what is new is marked.
 * @param {HTMLElement} page
 * @param {World} world
 */
const listSeverest = (page, { marks, generated_at: generatedAt }) => {
  const points = severest(marks)
  const before = listed
  listed = points.map(({ name, point }) => JSON.stringify([name, point]))
  if (before?.join() === listed.join()) return
  const rows = points.map(({ name, point }, at) => {
    const row = rowOf(page, name, point, generatedAt)
    row.classList.toggle("changed", before !== null && !before.includes(listed?.[at] ?? ""))
    return row
  })
  part(page, "[data-severest]").replaceChildren(...rows)
}

/**
 * Draws the points of the world on the map.
 * @param {HTMLElement} page
 * @param {World} world
 */
export const drawLayers = (page, world) => {
  for (const layer of world.marks) {
    const group = page.querySelector(`[data-layer="${CSS.escape(layer.name)}"]`)
    if (group === null) continue
    group.replaceChildren(...layer.points.map((point) => markOf(layer.name, point)))
    group.toggleAttribute("data-unknown", !layer.known)
    part(page, `[data-count="${CSS.escape(layer.name)}"]`).textContent = countText(layer)
  }
  listSeverest(page, world)
}

/**
 * Fades the layers that are not current, and says what an empty list means: by the tiles as they stand at this moment.
 * @param {HTMLElement} page
 */
export const markLayers = (page) => {
  const tiles = tilesIn(page)
  const marks = [...page.querySelectorAll("[data-layer]")].map((group) => ({
    name: group.getAttribute("data-layer") ?? "",
    known: !group.hasAttribute("data-unknown"),
  }))
  for (const layer of marks)
    for (const one of page.querySelectorAll(
      `[data-layer="${CSS.escape(layer.name)}"], [data-entry="${CSS.escape(layer.name)}"]`,
    ))
      one.toggleAttribute("data-old", !isCurrentLayer(layer, tiles))
  part(page, "[data-severest]").dataset.empty = emptyText({ marks, tiles })
}

/**
 * Lets a reader choose the kinds of places that the map shows.
 * @param {HTMLElement} page
 */
export const toggleLayers = (page) => {
  for (const box of parts(page, "[data-shows]")) {
    if (!(box instanceof HTMLInputElement)) continue
    const group = page.querySelector(`[data-layer="${CSS.escape(box.dataset.shows ?? "")}"]`)
    const show = () => group?.toggleAttribute("data-off", !box.checked)
    box.hidden = false
    box.addEventListener("change", show)
    show()
  }
}
