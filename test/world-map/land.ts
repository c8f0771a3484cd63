import { readFileSync } from "node:fs"
import { fileURLToPath } from "node:url"
import { type GeoContext, geoEquirectangular, geoPath } from "d3-geo"
import { feature, mesh } from "topojson-client"
import type { GeometryCollection, Topology } from "topojson-specification"

// The land of the map on the front page, as images: `node test/world-map/print-land.ts` writes them.

/** Without one colour of its own for each scheme: a grey that is seen on light and on dark. */
const FILL = "#7c8a8f"
/** Of borders, on land alone: lighter than it in both schemes. */
const STROKE = "#ffffff"
/** A twentieth of a degree: a third of a pixel where they first show, two pixels at a large zoom. */
const BORDER_UNITS = 2.5

type Point = readonly [x: number, y: number]

/** Collects lines as points of whole units, and leaves out those that are nearer to the one before than a step. */
class Lines implements GeoContext {
  readonly lines: Array<Array<Point>> = []
  readonly #stepMin: number

  constructor(stepMin: number) {
    this.#stepMin = stepMin
  }

  beginPath(): void {}
  arc(): void {}
  closePath(): void {}

  moveTo(x: number, y: number): void {
    this.lines.push([[Math.round(x), Math.round(y)]])
  }

  lineTo(x: number, y: number): void {
    const line = this.lines.at(-1)
    const last = line?.at(-1)
    const point: Point = [Math.round(x), Math.round(y)]
    if (line === undefined || last === undefined) return
    if (Math.hypot(point[0] - last[0], point[1] - last[1]) >= this.#stepMin) line.push(point)
  }
}

/** A line as a path: its first point, then the steps from each to the next. */
const linePath = (line: ReadonlyArray<Point>): string => {
  const steps = line.slice(1).map(([x, y], at) => {
    const [fromX, fromY] = line[at] ?? [x, y]
    return [x - fromX, y - fromY]
  })
  // A minus sign separates numbers too.
  const numbers = steps.flat().join(" ").replaceAll(" -", "-")
  return `M${line[0]?.join(" ")}l${numbers}`
}

interface Detail {
  readonly unitsPerDegree: number
  /** Points nearer to the one before, in units, are left out. */
  readonly stepMin: number
  /** Islands whose outline has fewer points are left out. */
  readonly pointsMin: number
  readonly hasBorders: boolean
}

/** Of the whole world: at 1,300 pixels a unit is a third of a pixel. */
const COARSE: Detail = { unitsPerDegree: 10, stepMin: 4, pointsMin: 4, hasBorders: false }
/** Once it is zoomed: nearly every point of the atlas, and the borders of countries. */
const FINE: Detail = { unitsPerDegree: 50, stepMin: 3, pointsMin: 3, hasBorders: true }

type Atlas = Topology<{ land: GeometryCollection; countries: GeometryCollection }>

const svgOf = ({ unitsPerDegree, stepMin, pointsMin, hasBorders }: Detail): string => {
  const atlas: Atlas = JSON.parse(
    readFileSync(fileURLToPath(import.meta.resolve("world-atlas/countries-50m.json")), "utf8"),
  )
  const size = [360 * unitsPerDegree, 180 * unitsPerDegree] as const
  const projection = geoEquirectangular()
    .scale((180 / Math.PI) * unitsPerDegree)
    .translate([size[0] / 2, size[1] / 2])
  const linesOf = (shape: Parameters<ReturnType<typeof geoPath>>[0]) => {
    const context = new Lines(stepMin)
    geoPath(projection, context)(shape)
    return context.lines
  }
  const land = linesOf(feature(atlas, atlas.objects.land))
    .filter(({ length }) => length >= pointsMin)
    .map((line) => `${linePath(line)}z`)
    .join("")
  const borders = hasBorders
    ? linesOf(mesh(atlas, atlas.objects.countries, (one, other) => one !== other))
        .filter(({ length }) => length > 1)
        .map(linePath)
        .join("")
    : null
  const drawn =
    borders === null ? "" : `<path fill="none" stroke="${STROKE}" stroke-width="${BORDER_UNITS}" d="${borders}"/>`
  return `<!-- Land of Natural Earth (public domain) by way of world-atlas (ISC), printed by test/world-map/print-land.ts -->
<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${size.join(" ")}"><title>Land</title><path fill="${FILL}" d="${land}"/>${drawn}</svg>
`
}

/** The land of the earth in an equirectangular projection, of Natural Earth at 1:50,000,000: by the names of its files. */
export const landFiles = (): Readonly<Record<string, string>> => ({
  "land.svg": svgOf(COARSE),
  "land-fine.svg": svgOf(FINE),
})
