// The part of the map that is shown, in degrees from 180 degrees west and 90 north: the view box of its SVG.

/** @typedef {{ readonly x: number, readonly y: number, readonly width: number, readonly height: number }} Box */
/** @typedef {{ readonly x: number, readonly y: number }} Place */

/** @type {Box} All of the globe, but for empty sea around the north pole and ice around the south. */
export const WORLD = { x: 0, y: 5, width: 360, height: 164 }

/** At this zoom a pixel is about a kilometre, and the coast has no finer points. */
export const ZOOM_MAX = 32

const between = (/** @type {number} */ value, /** @type {number} */ low, /** @type {number} */ high) =>
  Math.min(Math.max(value, low), high)

/**
 * How many times larger than the whole world a box is drawn.
 * @param {Box} box
 */
export const zoomOf = ({ width }) => WORLD.width / width

/**
 * The box of a zoom with its corner at a place, moved so that it shows the world alone.
 * @param {Place} corner
 * @param {number} zoom
 * @returns {Box}
 */
const boxAt = ({ x, y }, zoom) => {
  const held = between(zoom, 1, ZOOM_MAX)
  const [width, height] = [WORLD.width / held, WORLD.height / held]
  return {
    x: between(x, WORLD.x, WORLD.x + WORLD.width - width),
    y: between(y, WORLD.y, WORLD.y + WORLD.height - height),
    width,
    height,
  }
}

/**
 * A box with its content `factor` times as large, in which `fixed` stays where it is.
 * @param {Box} box
 * @param {number} factor
 * @param {Place} [fixed] The middle unless given.
 */
export const zoomed = (box, factor, fixed = middleOf(box)) => {
  const zoom = between(zoomOf(box) * factor, 1, ZOOM_MAX)
  const shrunk = zoomOf(box) / zoom
  return boxAt({ x: fixed.x - (fixed.x - box.x) * shrunk, y: fixed.y - (fixed.y - box.y) * shrunk }, zoom)
}

/**
 * @param {Box} box
 * @param {Place} by
 */
export const moved = (box, by) => boxAt({ x: box.x + by.x, y: box.y + by.y }, zoomOf(box))

/**
 * A box of the same zoom with a place in its middle, as far as the edges of the world allow it.
 * @param {Box} box
 * @param {Place} place
 */
export const centred = (box, place) => {
  const middle = middleOf(box)
  return moved(box, { x: place.x - middle.x, y: place.y - middle.y })
}

/**
 * @param {Box} box
 * @returns {Place}
 */
const middleOf = ({ x, y, width, height }) => ({ x: x + width / 2, y: y + height / 2 })

/** What stands around places that a box is made for. */
const MARGIN = 1.6
/** Places at one point are not shown nearer than this. */
const CLOSE_UP = 12

/**
 * The smallest box with all of these places.
 * @param {ReadonlyArray<Place>} places
 */
export const boxAround = (places) => {
  const [xs, ys] = [places.map(({ x }) => x), places.map(({ y }) => y)]
  const [left, right, top, bottom] = [Math.min(...xs), Math.max(...xs), Math.min(...ys), Math.max(...ys)]
  const zoom = between(
    Math.min(WORLD.width / ((right - left) * MARGIN), WORLD.height / ((bottom - top) * MARGIN)),
    1,
    CLOSE_UP,
  )
  const [x, y] = [(left + right) / 2 - WORLD.width / zoom / 2, (top + bottom) / 2 - WORLD.height / zoom / 2]
  return boxAt({ x, y }, zoom)
}

/**
 * Whether a place is within a box.
 * @param {Box} box
 * @param {Place} place
 */
export const holds = ({ x, y, width, height }, place) =>
  place.x >= x && place.x <= x + width && place.y >= y && place.y <= y + height
