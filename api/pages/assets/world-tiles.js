import { part, parts } from "./world-parts.js"
import { isCurrent, stateOf, valueKind, valueText } from "./world-view.js"

/** @typedef {import("./world-view.js").Tile} Tile */

/**
 * Writes a text where it differs. Texts of upstreams are text nodes, never markup.
 * @param {HTMLElement} element
 * @param {string} text
 */
const write = (element, text) => {
  if (element.textContent === text) return false
  element.textContent = text
  return true
}

/**
 * @param {HTMLElement} element
 * @param {Pick<Tile, "status" | "stale_after">} tile
 */
const writeState = (element, tile) => {
  const { sign, words } = stateOf(tile)
  write(element, words)
  element.className = `state ${sign}`
}

/**
 * Marks a value that has changed, which starts an animation.
 * @param {HTMLElement} element
 */
const mark = (element) => {
  element.classList.remove("changed")
  // Read, so that the browser takes the removal for a change and the animation begins anew.
  void element.offsetWidth
  element.classList.add("changed")
}

/**
 * @param {HTMLElement} element
 * @param {Tile} tile
 */
const writeTile = (element, tile) => {
  const named = (/** @type {string} */ name) => part(element, `[data-part="${name}"]`)
  const { value, unit, note, reason, as_of: asOf, stale_after: staleAfter, status } = tile
  named("headline").className = `headline ${valueKind(value)}`
  write(named("unit"), value === null ? "" : (unit ?? ""))
  write(named("note"), note)
  write(named("reason"), reason ?? "")
  named("reason").hidden = reason === null
  writeState(named("state"), tile)
  element.dataset.status = status
  element.dataset.staleAfter = staleAfter ?? ""
  // The text follows within a second (age.js).
  if (asOf === null) named("as-of").removeAttribute("datetime")
  else named("as-of").setAttribute("datetime", asOf)
  if (write(named("value"), valueText(value))) mark(named("value"))
}

/**
 * Writes the tiles of the world into the page. A tile that the page does not have comes with the next load.
 * @param {HTMLElement} page
 * @param {import("./world-view.js").World} world
 */
export const writeTiles = (page, { tiles }) => {
  const byName = new Map(tiles.map((tile) => [tile.name, tile]))
  for (const element of parts(page, ".tile")) {
    const tile = byName.get(element.dataset.tile ?? "")
    if (tile !== undefined) writeTile(element, tile)
  }
}

/**
 * The tiles of the page, as they stand at this moment.
 * @param {HTMLElement} page
 */
export const tilesIn = (page) =>
  parts(page, ".tile").map((element) => ({
    element,
    name: element.dataset.tile ?? "",
    status: /** @type {Tile["status"]} */ (element.dataset.status ?? "warming"),
    staleAfterMs: Date.parse(element.dataset.staleAfter ?? ""),
    asOf: element.querySelector('[data-part="as-of"]')?.getAttribute("datetime") ?? null,
  }))

/**
 * When the promises of the current tiles end.
 * @param {HTMLElement} page
 */
export const promisesIn = (page) =>
  tilesIn(page).flatMap(({ status, staleAfterMs }) => (isCurrent(status) ? [staleAfterMs] : []))

/**
 * Marks the tiles whose data became older than its promise since they were written.
 * @param {HTMLElement} page
 * @param {number} nowMs By the clock of the service.
 */
export const markStale = (page, nowMs) => {
  for (const { element, status, staleAfterMs } of tilesIn(page)) {
    if (!isCurrent(status) || !(staleAfterMs <= nowMs)) continue
    element.dataset.status = "stale"
    writeState(part(element, '[data-part="state"]'), {
      status: "stale",
      stale_after: element.dataset.staleAfter ?? null,
    })
  }
}
