import { part, parts } from "./world-parts.js"
import { detailText, instantText, isCurrent, stateOf, valueKind, valueText } from "./world-view.js"

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
 * @param {Parameters<typeof stateOf>[0]} tile
 * @param {boolean} [isPast]
 */
const writeState = (element, tile, isPast) => {
  const { sign, words } = stateOf(tile, isPast)
  write(element, words)
  const className = `state ${sign}`
  if (element.className !== className) element.className = className
}

/**
 * Writes an instant: as an age, which follows within a second (age.js), or as the instant where the page shows the past.
 * @param {HTMLElement} time
 * @param {string | null} at
 * @param {boolean} isPast
 */
export const writeTime = (time, at, isPast) => {
  time.toggleAttribute("data-age", !isPast)
  if (at === null) time.removeAttribute("datetime")
  else time.setAttribute("datetime", at)
  if (isPast || at === null) write(time, at === null ? "" : instantText(at))
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
 * The address of the page of a feed, of an earlier instant where there is one.
 * @param {HTMLElement} link
 * @param {string | null} at
 */
const writeLink = (link, at) => {
  if (!(link instanceof HTMLAnchorElement) || link.dataset.past === undefined) return
  const search = at === null ? "" : `?at=${at}`
  if (link.search !== search) link.search = search
}

/**
 * @param {HTMLElement} element
 * @param {Tile} tile
 * @param {string | null} at
 */
const writeTile = (element, tile, at) => {
  const named = (/** @type {string} */ name) => part(element, `[data-part="${name}"]`)
  const { value, unit, note, reason, as_of: asOf, stale_after: staleAfter, status } = tile
  const isPast = at !== null
  named("headline").className = `headline ${valueKind(value)}`
  write(named("unit"), value === null ? "" : (unit ?? ""))
  write(named("note"), note)
  write(named("reason"), detailText(reason))
  named("reason").hidden = reason === null
  writeState(named("state"), tile, isPast)
  element.dataset.status = status
  element.dataset.staleAfter = staleAfter ?? ""
  writeTime(named("as-of"), asOf, isPast)
  writeLink(part(element, "h3 a"), at)
  if (write(named("value"), valueText(value)) && !isPast) mark(named("value"))
}

/**
 * Writes the tiles of the world into the page. A tile that the page does not have comes with the next load.
 * @param {HTMLElement} page
 * @param {import("./world-view.js").World} world
 * @param {string | null} at The instant of an earlier world; null for that of now.
 */
export const writeTiles = (page, { tiles }, at) => {
  const byName = new Map(tiles.map((tile) => [tile.name, tile]))
  for (const element of parts(page, ".tile")) {
    const tile = byName.get(element.dataset.tile ?? "")
    if (tile !== undefined) writeTile(element, tile, at)
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
    /** Looked up where it is asked for: few of those who ask for the tiles do, each second. */
    get asOf() {
      return element.querySelector('[data-part="as-of"]')?.getAttribute("datetime") ?? null
    },
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
