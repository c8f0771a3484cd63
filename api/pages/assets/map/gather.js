// Places that would overlap on the map are gathered: they are drawn as the most severe of them, with their number.

/** @typedef {import("../world-view.js").Point} Point */

/**
 * @typedef {object} Spot A place of a layer, on the map.
 * @property {string} layer
 * @property {Point} point
 * @property {number} x
 * @property {number} y
 */

/**
 * @typedef {object} Gathering
 * @property {Spot} lead The most severe, which says where it is drawn, and as what.
 * @property {ReadonlyArray<Spot>} spots All of them, the lead first.
 */

/** More than there are squares from north to south. */
const ROWS_MAX = 1 << 16

/**
 * Gathers spots that are nearer than `distance` to one that is more severe. The order of equal ones stays.
 * @param {ReadonlyArray<Spot>} spots
 * @param {number} distance
 * @returns {ReadonlyArray<Gathering>}
 */
export const gathered = (spots, distance) => {
  /** @typedef {{ lead: Spot, spots: Array<Spot> }} Growing */
  /** @type {Array<Growing>} */
  const all = []
  /** Gatherings by the square of the map that their lead is in, so that only neighbours are compared. */
  const bySquare = /** @type {Map<number, Array<Growing>>} */ (new Map())
  const squareOf = (/** @type {Spot} */ { x, y }) => Math.floor(x / distance) * ROWS_MAX + Math.floor(y / distance)
  const nearestTo = (/** @type {Spot} */ spot) => {
    const square = squareOf(spot)
    let nearest = /** @type {Growing | null} */ (null)
    let least = distance
    for (const across of [-ROWS_MAX, 0, ROWS_MAX])
      for (const down of [-1, 0, 1])
        for (const gathering of bySquare.get(square + across + down) ?? []) {
          const away = Math.hypot(gathering.lead.x - spot.x, gathering.lead.y - spot.y)
          if (away >= least) continue
          nearest = gathering
          least = away
        }
    return nearest
  }
  for (const spot of spots.toSorted((one, other) => other.point.weight - one.point.weight)) {
    const nearest = nearestTo(spot)
    if (nearest !== null) nearest.spots.push(spot)
    else {
      const gathering = { lead: spot, spots: [spot] }
      all.push(gathering)
      const square = squareOf(spot)
      const others = bySquare.get(square)
      if (others === undefined) bySquare.set(square, [gathering])
      else others.push(gathering)
    }
  }
  return all
}
