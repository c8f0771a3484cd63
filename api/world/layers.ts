import type { World } from "../../schemas/endpoints/world.ts"
import type { SizedPoint } from "./at-a-glance.ts"

/** The points of one endpoint, the most severe first. */
export interface LayerPoints {
  readonly name: string
  readonly points: ReadonlyArray<SizedPoint>
  /** False where there is no data, or none that could be read. */
  readonly known: boolean
}

type Layers = World["marks"]

const sizeOf = (layers: Layers): number => Buffer.byteLength(JSON.stringify(layers))

/** The layers of a map within `bytesMax`: of all points together the least severe are left out, and counted. */
export const layersWithin = (all: ReadonlyArray<LayerPoints>, bytesMax: number): Layers => {
  const bySeverity = all
    .flatMap(({ points }, layer) => points.map((sized) => ({ layer, sized })))
    .sort((one, other) => other.sized.point.weight - one.sized.point.weight)
  // The counts of what is left out have the most digits where all is.
  let bytes = sizeOf(all.map(({ name, points, known }) => ({ name, points: [], omitted: points.length, known })))
  const held = all.map(() => 0)
  for (const { layer, sized } of bySeverity) {
    bytes += sized.bytes + ",".length
    if (bytes > bytesMax) break
    held[layer] = (held[layer] ?? 0) + 1
  }
  return all.map(({ name, points, known }, layer) => {
    const kept = points.slice(0, held[layer]).map(({ point }) => point)
    return { name, points: kept, omitted: points.length - kept.length, known }
  })
}
