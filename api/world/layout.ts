import {
  defaultParameters,
  type Endpoint,
  isView,
  subjectNames,
  type ViewEndpoint,
} from "../../schemas/contract/endpoint-kinds.ts"
import type { AttributionByPath } from "../../schemas/contract/provenance.ts"
import type { PastMeta } from "../../schemas/contract/reply.ts"
import { WORLD_MAX_BYTES, type World } from "../../schemas/endpoints/world.ts"
import { instant } from "../../schemas/event.ts"
import { instanceKey } from "../../schemas/feed.ts"
import type { PreparedReply } from "../http/representation.ts"
import type { DataText } from "../views/compose.ts"
import { failedGlance, type MadeGlance, makeGlance, type SizedPoint, type Standing, tileOf } from "./tile.ts"

// What a board of all feeds is made of, now or at an earlier instant.

/** An endpoint with a tile, and the key under which the data of the tile stands ready. */

export interface Shown {
  readonly endpoint: ViewEndpoint
  readonly key: string
}

/** What the service shows of all feeds, and its bytes. */
export interface BoardReply {
  readonly world: World
  readonly prepared: PreparedReply
}

/** Where it is logged that data cannot be read. */
export interface BoardLogger {
  readonly error: (fields: object, message: string) => void
}

/** The key of the prepared data that represents an endpoint as a whole; null where none is prepared. */
export const keyOf = (endpoint: ViewEndpoint): string | null => {
  switch (endpoint.kind) {
    case "prepared":
      return instanceKey(endpoint.path, defaultParameters(endpoint))
    case "filtered":
      return endpoint.path
    case "on-demand": {
      const [first] = endpoint.prepared
      return first === undefined ? null : instanceKey(endpoint.path, first)
    }
  }
}

/** The endpoints with a tile, by subject, then in the order of the contract. */
export const shownOf = (endpoints: ReadonlyArray<Endpoint>): ReadonlyArray<Shown> =>
  subjectNames.flatMap((subject) =>
    endpoints.filter(isView).flatMap((endpoint): ReadonlyArray<Shown> => {
      const key = endpoint.glance === null || endpoint.subject !== subject ? null : keyOf(endpoint)
      return key === null ? [] : [{ endpoint, key }]
    }),
  )

/** The glance at data. Data that another version of the service wrote may be unreadable here; then the other tiles are shown. */
export const glanceAt = (endpoint: ViewEndpoint, data: DataText, logger: BoardLogger): MadeGlance => {
  try {
    return makeGlance(endpoint, data)
  } catch (error) {
    logger.error({ err: error, endpoint: endpoint.name }, "a glance at data failed")
    return failedGlance
  }
}

/** The points of one endpoint, the most severe first. */
interface LayerPoints {
  readonly name: string
  readonly points: ReadonlyArray<SizedPoint>
  /** False where there is no data, or none that could be read. */
  readonly known: boolean
  readonly harmless: boolean
}

type Layers = World["marks"]

const sizeOf = (layers: Layers): number => Buffer.byteLength(JSON.stringify(layers))

/** The layers of a map within `bytesMax`: of all points together the least severe are left out, and counted. */
const layersWithin = (all: ReadonlyArray<LayerPoints>, bytesMax: number): Layers => {
  const bySeverity = all
    .flatMap(({ points }, layer) => points.map((sized) => ({ layer, sized })))
    .sort((one, other) => other.sized.point.weight - one.sized.point.weight)
  // The counts of what is left out have the most digits where all is.
  let bytes = sizeOf(all.map(({ points, ...layer }) => ({ ...layer, points: [], omitted: points.length })))
  const held = all.map(() => 0)
  for (const { layer, sized } of bySeverity) {
    bytes += sized.bytes + ",".length
    if (bytes > bytesMax) break
    held[layer] = (held[layer] ?? 0) + 1
  }
  return all.map(({ name, points, known, harmless }, layer) => {
    const kept = points.slice(0, held[layer]).map(({ point }) => point)
    return { name, points: kept, omitted: points.length - kept.length, known, harmless }
  })
}

/** The board at `nowMs`; `at`: of a past one. */
export const worldOf = (
  standings: ReadonlyArray<Standing>,
  attribution: AttributionByPath,
  nowMs: number,
  at?: PastMeta,
): World => {
  const tiles = standings.flatMap((standing) => tileOf(standing, attribution, nowMs) ?? [])
  const layers = standings.flatMap(({ endpoint, glance }) =>
    endpoint.glance?.marks === undefined
      ? []
      : [
          {
            name: endpoint.name,
            points: glance?.points ?? [],
            known: glance !== null && glance.problem === null,
            harmless: endpoint.glance.harmless === true,
          },
        ],
  )
  const world = { generated_at: instant(nowMs), ...(at === undefined ? {} : { at }), tiles, marks: [] }
  const bytesMax = WORLD_MAX_BYTES - Buffer.byteLength(JSON.stringify(world))
  return { ...world, marks: layersWithin(layers, bytesMax + "[]".length) }
}
