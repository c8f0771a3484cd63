import { createRequire } from "node:module"
import pointInPolygon from "point-in-polygon-hao"
import { feature } from "topojson-client"

/** Letters of the states, the federal district and the territories, by the FIPS codes of the Census Bureau. */
const letters: Readonly<Record<string, string>> = Object.fromEntries(
  (
    "01 AL,02 AK,04 AZ,05 AR,06 CA,08 CO,09 CT,10 DE,11 DC,12 FL,13 GA,15 HI,16 ID,17 IL,18 IN,19 IA,20 KS,21 KY," +
    "22 LA,23 ME,24 MD,25 MA,26 MI,27 MN,28 MS,29 MO,30 MT,31 NE,32 NV,33 NH,34 NJ,35 NM,36 NY,37 NC,38 ND,39 OH," +
    "40 OK,41 OR,42 PA,44 RI,45 SC,46 SD,47 TN,48 TX,49 UT,50 VT,51 VA,53 WA,54 WV,55 WI,56 WY," +
    "60 AS,66 GU,69 MP,72 PR,78 VI"
  )
    .split(",")
    .map((pair) => pair.split(" ")),
)

/** A ring of `[longitude, latitude]` corners. */
type Ring = Array<Array<number>>

/** One polygon of a state with its bounding box, which excludes nearly all polygons before the exact test. */
interface StatePolygon {
  readonly state: string
  /** The outline, then the holes. */
  readonly rings: Array<Ring>
  readonly west: number
  readonly east: number
  readonly south: number
  readonly north: number
}

const statePolygon = (state: string, rings: Array<Ring>): StatePolygon => {
  const [outline = []] = rings
  const longitudes = outline.map(([longitude = 0]) => longitude)
  const latitudes = outline.map(([, latitude = 0]) => latitude)
  return {
    state,
    rings,
    west: Math.min(...longitudes),
    east: Math.max(...longitudes),
    south: Math.min(...latitudes),
    north: Math.max(...latitudes),
  }
}

const readAtlas = (): ReadonlyArray<StatePolygon> => {
  // JSON that the package exports; its topology has an object `states`.
  const atlas = createRequire(import.meta.url)("us-atlas/states-10m.json") as Parameters<typeof feature>[0]
  const states = atlas.objects.states
  if (states?.type !== "GeometryCollection") throw new TypeError("us-atlas has no collection of states")
  return feature(atlas, states).features.flatMap(({ id, geometry }) => {
    const state = letters[String(id)]
    if (state === undefined) throw new TypeError(`us-atlas has a state ${String(id)} without letters`)
    if (geometry.type === "Polygon") return [statePolygon(state, geometry.coordinates)]
    return geometry.type === "MultiPolygon" ? geometry.coordinates.map((rings) => statePolygon(state, rings)) : []
  })
}

/** Read at the first look-up, so that roles that map no fires do not hold it. */
let polygons: ReadonlyArray<StatePolygon> | undefined

/**
 * The US state, federal district or territory that a place is in, as two letters, by the Census Bureau's outlines at
 * 1:10,000,000: within some two kilometres of a border or coast it may be wrong. Null outside. Degrees north and east.
 */
export const approximateUsState = (latitude: number, longitude: number): string | null => {
  polygons ??= readAtlas()
  const isIn = ({ west, east, south, north, rings }: StatePolygon): boolean =>
    longitude >= west &&
    longitude <= east &&
    latitude >= south &&
    latitude <= north &&
    pointInPolygon([longitude, latitude], rings) !== false
  return polygons.find(isIn)?.state ?? null
}
