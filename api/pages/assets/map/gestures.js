// Zoom and pan of the map by wheel, drag, pinch, double click and keys. d3-zoom does the same with nine packages of some sixty
// modules, of which this page would need a bundle: here it is arithmetic on the view box (view-box.js).

import { moved, WORLD, zoomed, zoomOf } from "./view-box.js"

/** @typedef {import("./view-box.js").Box} Box */
/** @typedef {import("./view-box.js").Place} Place */

/** A pointer that moves less is a click. */
const DRAG_MIN_PX = 4
/** Wheels that count lines: the height of one. */
const LINE_PX = 16
/** Pixels of a wheel that double the zoom, and of a pinch on a touchpad, which browsers send as a wheel with Ctrl. */
const WHEEL_DOUBLES_PX = 260
const PINCH_DOUBLES_PX = 70
/** A page that is being scrolled goes on when the map comes under the pointer. */
const SCROLLING_MS = 350
const STEP = 1.6
/** The part of the map that a key moves it by. */
const KEY_SHARE = 0.2

/**
 * @typedef {object} Shown
 * @property {() => Box} box
 * @property {(box: Box) => void} show
 */

/**
 * The keys of the map: arrows pan, plus and minus zoom, 0 shows all. Null for other keys.
 * @param {Box} box
 * @param {string} key
 */
export const boxAfterKey = (box, key) => {
  const [across, down] = [box.width * KEY_SHARE, box.height * KEY_SHARE]
  switch (key) {
    case "+":
    case "=":
      return zoomed(box, STEP)
    case "-":
    case "_":
      return zoomed(box, 1 / STEP)
    case "0":
      return WORLD
    case "ArrowLeft":
      return moved(box, { x: -across, y: 0 })
    case "ArrowRight":
      return moved(box, { x: across, y: 0 })
    case "ArrowUp":
      return moved(box, { x: 0, y: -down })
    case "ArrowDown":
      return moved(box, { x: 0, y: down })
    default:
      return null
  }
}

/**
 * Lets a reader zoom and pan.
 * @param {SVGSVGElement} globe
 * @param {Shown} shown
 */
export const followGestures = (globe, { box, show }) => {
  /** @type {Map<number, Place>} */
  const pointers = new Map()
  let hasDragged = false
  let draggedPx = 0
  let scrolledAtMs = Number.NEGATIVE_INFINITY
  let wheeledAtMs = Number.NEGATIVE_INFINITY

  const degreesOf = (/** @type {number} */ px) => (px * box().width) / globe.clientWidth
  const placeOf = (/** @type {{ clientX: number, clientY: number }} */ { clientX, clientY }) => {
    const { left, top } = globe.getBoundingClientRect()
    return { x: box().x + degreesOf(clientX - left), y: box().y + degreesOf(clientY - top) }
  }

  /** @param {WheelEvent} event */
  const onWheel = (event) => {
    const now = event.timeStamp
    const isScrolling = !event.ctrlKey && now - scrolledAtMs < SCROLLING_MS && now - wheeledAtMs >= SCROLLING_MS
    // Below the whole world there is nothing: the wheel scrolls the page then.
    const isDone = event.deltaY > 0 && zoomOf(box()) <= 1 && now - wheeledAtMs >= SCROLLING_MS
    if (isScrolling || (isDone && !event.ctrlKey)) {
      scrolledAtMs = now
      return
    }
    event.preventDefault()
    wheeledAtMs = now
    const px = event.deltaY * (event.deltaMode === WheelEvent.DOM_DELTA_LINE ? LINE_PX : 1)
    show(zoomed(box(), 2 ** (-px / (event.ctrlKey ? PINCH_DOUBLES_PX : WHEEL_DOUBLES_PX)), placeOf(event)))
  }

  const spread = () => {
    const [one, other] = [...pointers.values()]
    return one === undefined || other === undefined
      ? null
      : {
          px: Math.hypot(one.x - other.x, one.y - other.y),
          middle: { clientX: (one.x + other.x) / 2, clientY: (one.y + other.y) / 2 },
        }
  }

  /** @param {PointerEvent} event */
  const onDown = (event) => {
    if (event.pointerType === "mouse" && event.button !== 0) return
    if (pointers.size === 0) {
      hasDragged = false
      draggedPx = 0
    }
    pointers.set(event.pointerId, { x: event.clientX, y: event.clientY })
    if (hasDragged) globe.setPointerCapture(event.pointerId)
  }

  /** @param {PointerEvent} event */
  const onMove = (event) => {
    const before = pointers.get(event.pointerId)
    if (before === undefined) return
    const wide = spread()
    pointers.set(event.pointerId, { x: event.clientX, y: event.clientY })
    const step = { x: event.clientX - before.x, y: event.clientY - before.y }
    draggedPx += Math.hypot(step.x, step.y)
    if (draggedPx < DRAG_MIN_PX) return
    if (!hasDragged) {
      hasDragged = true
      // From here on the pointer is the map's, also outside of it; a click is not, which goes to what it is on.
      for (const id of pointers.keys()) globe.setPointerCapture(id)
    }
    const now = spread()
    if (wide !== null && now !== null && wide.px > 0) {
      const along = {
        x: degreesOf(wide.middle.clientX - now.middle.clientX),
        y: degreesOf(wide.middle.clientY - now.middle.clientY),
      }
      show(zoomed(moved(box(), along), now.px / wide.px, placeOf(now.middle)))
    } else show(moved(box(), { x: -degreesOf(step.x), y: -degreesOf(step.y) }))
  }

  /** @param {PointerEvent} event */
  const onUp = (event) => {
    pointers.delete(event.pointerId)
  }

  /** @param {MouseEvent} event */
  const onClick = (event) => {
    // The end of a drag is no click on what it ends at.
    if (hasDragged) event.stopPropagation()
    hasDragged = false
  }

  window.addEventListener(
    "wheel",
    (event) => {
      if (!(event.target instanceof Node && globe.contains(event.target))) scrolledAtMs = event.timeStamp
    },
    { passive: true, capture: true },
  )
  globe.addEventListener("wheel", onWheel, { passive: false })
  globe.addEventListener("pointerdown", onDown)
  globe.addEventListener("pointermove", onMove)
  globe.addEventListener("pointerup", onUp)
  globe.addEventListener("pointercancel", onUp)
  globe.addEventListener("lostpointercapture", (event) => {
    // A finger that was of a place is taken over from it.
    if (event.target === globe) onUp(event)
  })
  globe.addEventListener("click", onClick, { capture: true })
  globe.addEventListener("dblclick", (event) => {
    event.preventDefault()
    show(zoomed(box(), event.shiftKey ? 1 / STEP : STEP, placeOf(event)))
  })
  globe.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.altKey || event.metaKey) return
    // Arrows of a place lead to other places.
    if (event.target !== globe && event.key.startsWith("Arrow")) return
    const after = boxAfterKey(box(), event.key)
    if (after === null) return
    event.preventDefault()
    show(after)
  })
}
