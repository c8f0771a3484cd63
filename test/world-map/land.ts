import { readFileSync } from "node:fs"
import { fileURLToPath } from "node:url"
import { type GeoContext, geoEquirectangular, geoPath } from "d3-geo"
import { feature } from "topojson-client"
import type { GeometryCollection, Topology } from "topojson-specification"

// The land of the map on the front page, as an image: `node test/world-map/print-land.ts` prints it.

/** Units of the image for one degree: at 1,300 pixels a unit is a third of a pixel. */
const UNITS_PER_DEGREE = 10
/** Points nearer to the one before are left out. */
const STEP_MIN_UNITS = 4
/** Islands whose outline has fewer points are left out. */
const POINTS_MIN = 4

/** Without one colour of its own for each scheme: a grey that is seen on light and on dark. */
const FILL = "#7c8a8f"

type Point = readonly [x: number, y: number]

/** Collects rings as points of whole units. */
class Rings implements GeoContext {
  readonly rings: Array<Array<Point>> = []

  beginPath(): void {}
  arc(): void {}
  closePath(): void {}

  moveTo(x: number, y: number): void {
    this.rings.push([[Math.round(x), Math.round(y)]])
  }

  lineTo(x: number, y: number): void {
    const ring = this.rings.at(-1)
    const last = ring?.at(-1)
    const point: Point = [Math.round(x), Math.round(y)]
    if (ring === undefined || last === undefined) return
    if (Math.hypot(point[0] - last[0], point[1] - last[1]) >= STEP_MIN_UNITS) ring.push(point)
  }
}

/** A ring as a path: its first point, then the steps from each to the next. */
const ringPath = (ring: ReadonlyArray<Point>): string => {
  const steps = ring.slice(1).map(([x, y], at) => {
    const [fromX, fromY] = ring[at] ?? [x, y]
    return [x - fromX, y - fromY]
  })
  // A minus sign separates numbers too.
  const numbers = steps.flat().join(" ").replaceAll(" -", "-")
  return `M${ring[0]?.join(" ")}l${numbers}z`
}

/** The land of the earth in an equirectangular projection, of Natural Earth at 1:50,000,000. */
export const landSvg = (): string => {
  const atlas: Topology<{ land: GeometryCollection }> = JSON.parse(
    readFileSync(fileURLToPath(import.meta.resolve("world-atlas/land-50m.json")), "utf8"),
  )
  const size = [360 * UNITS_PER_DEGREE, 180 * UNITS_PER_DEGREE] as const
  const projection = geoEquirectangular()
    .scale((180 / Math.PI) * UNITS_PER_DEGREE)
    .translate([size[0] / 2, size[1] / 2])
  const rings = new Rings()
  geoPath(projection, rings)(feature(atlas, atlas.objects.land))
  const path = rings.rings
    .filter(({ length }) => length >= POINTS_MIN)
    .map(ringPath)
    .join("")
  return `<!-- Land of Natural Earth (public domain) by way of world-atlas (ISC), printed by test/world-map/print-land.ts -->
<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${size.join(" ")}"><title>Land</title><path fill="${FILL}" d="${path}"/></svg>
`
}
