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

/**
 * Gathers spots that are nearer than `distance` to one that is more severe. The order of equal ones stays.
 * @param {ReadonlyArray<Spot>} spots
 * @param {number} distance
 * @returns {ReadonlyArray<Gathering>}
 */
export const gathered = (spots, distance) => {
  /** @type {Array<{ lead: Spot, spots: Array<Spot> }>} */
  const all = []
  /** Gatherings by the square of the map that their lead is in, so that only neighbours are compared. */
  const bySquare = new Map()
  const squareOf = (/** @type {number} */ value) => Math.floor(value / distance)
  for (const spot of spots.toSorted((one, other) => other.point.weight - one.point.weight)) {
    const [column, row] = [squareOf(spot.x), squareOf(spot.y)]
    const near = [-1, 0, 1]
      .flatMap((across) => [-1, 0, 1].flatMap((down) => bySquare.get(`${column + across} ${row + down}`) ?? []))
      .map((gathering) => ({ gathering, away: Math.hypot(gathering.lead.x - spot.x, gathering.lead.y - spot.y) }))
      .filter(({ away }) => away < distance)
      .sort((one, other) => one.away - other.away)[0]
    if (near !== undefined) near.gathering.spots.push(spot)
    else {
      const gathering = { lead: spot, spots: [spot] }
      all.push(gathering)
      const square = `${column} ${row}`
      bySquare.set(square, [...(bySquare.get(square) ?? []), gathering])
    }
  }
  return all
}
