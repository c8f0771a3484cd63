// The map of the front page: its places, gathered at the zoom of the moment, the controls, and the card of a place.

import { part, parts } from "../world-parts.js"
import { placeOf, pointIn } from "../world-view.js"
import { PlaceCard } from "./card.js"
import { gathered } from "./gather.js"
import { boxAfterKey, followGestures } from "./gestures.js"
import { Markers } from "./markers.js"
import { boxAround, centred, holds, WORLD, ZOOM_MAX, zoomOf } from "./view-box.js"

/** @typedef {import("../world-view.js").Point} Point */
/** @typedef {import("./gather.js").Spot} Spot */
/** @typedef {import("./view-box.js").Box} Box */

/** Places that are nearer on the screen are gathered. */
const GATHER_PX = 20
const TEXT_PX = 13
/** From this zoom on the coast and the borders are drawn with all their points. */
const FINE_ZOOM = 3
/** A map of this width has places of their full size. */
const WIDE_PX = 900
const SIZE_PX = { least: 8, more: 14 }

/**
 * The size of a place by its weight, on a map of this width.
 * @param {number} widthPx
 */
const sizesFor = (widthPx) => (/** @type {number} */ weight) =>
  (SIZE_PX.least + SIZE_PX.more * weight) * Math.min(1, 0.7 + (0.3 * widthPx) / WIDE_PX)

/**
 * The places that the server has drawn.
 * @param {SVGSVGElement} globe
 */
const drawnLayers = (globe) =>
  new Map(
    [...globe.querySelectorAll("[data-layer]")].map((group) => [
      group.getAttribute("data-layer") ?? "",
      [...group.querySelectorAll("use")].map(pointIn),
    ]),
  )

/**
 * Draws the coast with all its points once it is needed, over the one that the page came with.
 * @param {SVGSVGElement} globe
 */
const addFineLand = (globe) => {
  const coarse = globe.querySelector(".land")
  const href = globe.dataset.fineLand
  if (coarse === null || href === undefined) return
  delete globe.dataset.fineLand
  const fine = /** @type {SVGImageElement} */ (coarse.cloneNode())
  fine.setAttribute("href", href)
  fine.classList.add("fine")
  fine.addEventListener("load", () => coarse.remove())
  coarse.after(fine)
}

/**
 * Makes the map of a page. The drawing of the server stays until `begin` is called.
 * @param {HTMLElement} page
 */
export const startMap = (page) => {
  const globe = /** @type {SVGSVGElement | null} */ (page.querySelector(".globe"))
  if (globe === null) throw new Error("the page has no map")
  /** @type {Map<string, ReadonlyArray<Point>>} */
  let layers = drawnLayers(globe)
  /** @type {Box} */
  let box = WORLD
  let isDue = false
  /** The width of the map, in whole pixels; 0 until it is measured. */
  let widthPx = 0

  const groupOf = (/** @type {string} */ layer) => globe.querySelector(`[data-layer="${CSS.escape(layer)}"]`)
  const tileOf = (/** @type {string} */ layer) => page.querySelector(`[data-tile="${CSS.escape(layer)}"]`)
  const titleOf = (/** @type {string} */ layer) => tileOf(layer)?.querySelector("h3")?.textContent ?? layer
  const classOf = (/** @type {string} */ layer) => {
    const group = groupOf(layer)
    return `${group?.classList.item(1) ?? ""}${group?.hasAttribute("data-old") ? " old" : ""}`
  }
  const isShown = (/** @type {string} */ layer) => groupOf(layer)?.hasAttribute("data-off") === false

  const card = new PlaceCard(part(page, "[data-card]"), {
    originOf: (layer) => {
      const tile = tileOf(layer)
      const text = (/** @type {string} */ selector) => tile?.querySelector(selector)?.textContent ?? ""
      return {
        title: titleOf(layer),
        href: tile?.querySelector("a")?.getAttribute("href") ?? "/feeds",
        state: text('[data-part="state"]'),
        source: text(".origin"),
      }
    },
    offersPast: page.dataset.offersPast !== undefined,
    zoomTo: (spots) => {
      show(boxAround(spots))
      draw()
      markers.elementOf((spot) => spot === spots[0])?.focus()
    },
  })
  const markers = new Markers(globe, {
    lookOf: (layer) => ({ title: titleOf(layer), className: classOf(layer) }),
    open: (gathering) => openCard(gathering),
    reveal: ({ lead }) => {
      if (!holds(box, lead)) show(centred(box, lead))
    },
  })
  /** @param {import("./gather.js").Gathering} gathering */
  const openCard = (gathering) => card.open(gathering, gathering.lead.x > box.x + box.width / 2)

  const spots = () =>
    [...layers].flatMap(([layer, points]) =>
      isShown(layer) ? points.map((point) => ({ layer, point, ...placeOf(point) })) : [],
    )
  /** The spots as they are drawn: the same as long as their places are. */
  let shownSpots = spots()
  let shownViewBox = ""
  /** What was gathered last: while the map is moved, it stays the same. */
  let last = { spots: shownSpots, distance: 0, gatherings: gathered([], 1) }
  const gatherings = () => {
    const distance = (GATHER_PX * box.width) / widthPx
    if (last.spots !== shownSpots || last.distance !== distance)
      last = { spots: shownSpots, distance, gatherings: gathered(shownSpots, distance) }
    return last.gatherings
  }

  /** Takes the map over from what the server has drawn. */
  const takeOver = () => {
    for (const group of globe.querySelectorAll("[data-layer]")) group.replaceChildren()
    globe.setAttribute("role", "group")
    globe.setAttribute("tabindex", "0")
    globe.setAttribute(
      "aria-label",
      "Map of the world. Arrow keys pan, plus and minus zoom, 0 shows all; the tab key leads to the places",
    )
    globe.toggleAttribute("data-drawn", true)
  }

  const draw = () => {
    isDue = false
    if (!globe.hasAttribute("data-drawn")) takeOver()
    const pxPerDegree = widthPx / box.width
    const viewBox = [box.x, box.y, box.width, box.height].map((one) => one.toFixed(4)).join(" ")
    // Set only where it differs: the whole map is laid out anew by it.
    if (viewBox !== shownViewBox) globe.setAttribute("viewBox", viewBox)
    shownViewBox = viewBox
    const measures = { pxPerDegree, sizePx: sizesFor(widthPx), textPx: TEXT_PX }
    markers.draw(gatherings(), measures, box)
    const zoom = zoomOf(box)
    globe.toggleAttribute("data-zoomed", zoom > 1)
    if (zoom >= FINE_ZOOM) addFineLand(globe)
    for (const button of parts(page, "[data-zoom-key]"))
      if (button instanceof HTMLButtonElement)
        button.disabled = button.dataset.zoomKey === "+" ? zoom >= ZOOM_MAX : zoom <= 1
  }
  const drawSoon = () => {
    if (isDue || widthPx === 0) return
    isDue = true
    requestAnimationFrame(draw)
  }
  const show = (/** @type {Box} */ next) => {
    box = next
    drawSoon()
  }

  followGestures(globe, { box: () => box, show })
  for (const button of parts(page, "[data-zoom-key]"))
    button.addEventListener("click", () => show(boxAfterKey(box, button.dataset.zoomKey ?? "") ?? box))

  return {
    /** Draws the map once it is measured, and anew where its width changes. */
    begin: () => {
      new ResizeObserver(([entry]) => {
        const before = widthPx
        widthPx = Math.round(entry?.contentRect.width ?? 0)
        if (before !== 0 && widthPx !== before) drawSoon()
        if (before !== 0 || widthPx === 0) return
        // The first time in parts, and not in a frame, which has enough to do with what is drawn.
        setTimeout(() => {
          gatherings()
          setTimeout(draw)
        })
      }).observe(globe)
    },
    /**
     * Draws the places of a world.
     * @param {Pick<import("../world-view.js").World, "marks">} world
     */
    write: ({ marks }) => {
      layers = new Map(marks.map(({ name, points }) => [name, points]))
      shownSpots = spots()
      drawSoon()
    },
    /** Draws the same places after layers were faded, hidden or shown. */
    refresh: () => {
      shownSpots = spots()
      drawSoon()
    },
    /** The places of the layers that are shown. */
    spots: () => shownSpots,
    /**
     * Shows a place and its card.
     * @param {Spot} spot
     */
    open: (spot) => {
      show(boxAround([spot]))
      openCard({ lead: spot, spots: [spot] })
    },
  }
}
