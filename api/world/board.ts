import { setImmediate as nextTurn } from "node:timers/promises"
import {
  defaultParameters,
  type Endpoint,
  isView,
  subjectNames,
  type ViewEndpoint,
} from "../../schemas/contract/endpoint-kinds.ts"
import type { AttributionByPath } from "../../schemas/contract/provenance.ts"
import { WORLD_MAX_BYTES, type World, worldEndpoint } from "../../schemas/endpoints/world.ts"
import { instant } from "../../schemas/event.ts"
import { instanceKey } from "../../schemas/feed.ts"
import { type PreparedReply, prepare } from "../http/representation.ts"
import { type DataText, nextChangeMs } from "../views/compose.ts"
import type { ViewStore } from "../views/store.ts"
import { failedGlance, type MadeGlance, makeGlance, type SizedPoint, type Standing, tileOf } from "./tile.ts"

/** The points of one endpoint, the most severe first. */
interface LayerPoints {
  readonly name: string
  readonly points: ReadonlyArray<SizedPoint>
  /** False where there is no data, or none that could be read. */
  readonly known: boolean
}

type Layers = World["marks"]

const sizeOf = (layers: Layers): number => Buffer.byteLength(JSON.stringify(layers))

/** The layers of a map within `bytesMax`: of all points together the least severe are left out, and counted. */
const layersWithin = (all: ReadonlyArray<LayerPoints>, bytesMax: number): Layers => {
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

/** What the board is made of: the options of the API of these names. */
export interface BoardOptions {
  readonly endpoints: ReadonlyArray<Endpoint>
  readonly store: ViewStore
  readonly attribution: AttributionByPath
  readonly nowMs: () => number
  readonly logger: { readonly error: (fields: object, message: string) => void }
}

/** An endpoint with a tile, and the key under which the data of the tile stands ready. */
interface Shown {
  readonly endpoint: ViewEndpoint
  readonly key: string
}

/** What the service shows of all feeds, and its bytes. */
export interface BoardReply {
  readonly world: World
  readonly prepared: PreparedReply
}

/** A reply, and what it was made of. */
interface MadeReply extends BoardReply {
  readonly standings: ReadonlyArray<Standing>
  readonly madeAtMs: number
  /** When a tile becomes stale without news. */
  readonly changesAtMs: number
}

/** The key of the prepared data that represents an endpoint as a whole; null where none is prepared. */
const keyOf = (endpoint: ViewEndpoint): string | null => {
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
const shownOf = (endpoints: ReadonlyArray<Endpoint>): ReadonlyArray<Shown> =>
  subjectNames.flatMap((subject) =>
    endpoints.filter(isView).flatMap((endpoint): ReadonlyArray<Shown> => {
      const key = endpoint.glance === null || endpoint.subject !== subject ? null : keyOf(endpoint)
      return key === null ? [] : [{ endpoint, key }]
    }),
  )

/**
 * Every feed at a glance, made of the store when it is requested. A glance is made once for each version of its data, one in
 * each turn of the event loop, so that no request waits for more than one of them; requests at the same time share a reply.
 */
export class WorldBoard {
  readonly #options: BoardOptions
  readonly #shown: ReadonlyArray<Shown>
  readonly #glances = new WeakMap<DataText, MadeGlance>()
  #reply: MadeReply | null = null
  #making: Promise<MadeReply> | null = null

  constructor(options: BoardOptions) {
    this.#options = options
    this.#shown = shownOf(options.endpoints)
  }

  /** What is shown now. */
  current(): BoardReply | Promise<BoardReply> {
    if (this.#reply !== null && this.#isCurrent(this.#reply)) return this.#reply
    this.#making ??= this.#make().finally(() => {
      this.#making = null
    })
    return this.#making
  }

  #isCurrent({ standings, madeAtMs, changesAtMs }: MadeReply): boolean {
    const nowMs = this.#options.nowMs()
    // After the clock stepped back, what became stale may be fresh again.
    if (nowMs < madeAtMs || nowMs >= changesAtMs) return false
    return this.#shown.every(({ key }, at) => {
      const { data = null, freshness = null } = this.#options.store.dataOf(key) ?? {}
      const standing = standings[at]
      const glance = data === null ? null : this.#glances.get(data)
      return standing?.freshness === freshness && standing.glance === glance
    })
  }

  async #make(): Promise<MadeReply> {
    const standings: Array<Standing> = []
    for (const { endpoint, key } of this.#shown) {
      const { data = null, freshness = null } = this.#options.store.dataOf(key) ?? {}
      const isNew = data !== null && !this.#glances.has(data)
      const glance = data === null ? null : this.#glanceAt(endpoint, data)
      standings.push({ endpoint, changedAt: data?.changedAt ?? null, freshness, glance })
      if (isNew) await nextTurn()
    }
    const madeAtMs = this.#options.nowMs()
    const world = this.#worldOf(standings, madeAtMs)
    const ttlMs = worldEndpoint.ttlMs({})
    const facts = { preparedAtMs: madeAtMs, ttlMs, changesAtMs: null, asOf: null, stale: null, missing: null }
    const prepared = await prepare(Buffer.from(JSON.stringify(world)), facts)
    const changes = standings.flatMap(({ freshness }) => nextChangeMs(freshness, madeAtMs) ?? [])
    this.#reply = { world, prepared, standings, madeAtMs, changesAtMs: Math.min(...changes) }
    return this.#reply
  }

  #glanceAt(endpoint: ViewEndpoint, data: DataText): MadeGlance {
    const made = this.#glances.get(data) ?? this.#makeGlance(endpoint, data)
    this.#glances.set(data, made)
    return made
  }

  /** Data that another version of the service wrote may be unreadable here; then the other tiles are shown. */
  #makeGlance(endpoint: ViewEndpoint, data: DataText): MadeGlance {
    try {
      return makeGlance(endpoint, data)
    } catch (error) {
      this.#options.logger.error({ err: error, endpoint: endpoint.name }, "a glance at data failed")
      return failedGlance
    }
  }

  #worldOf(standings: ReadonlyArray<Standing>, nowMs: number): World {
    const tiles = standings.flatMap((standing) => tileOf(standing, this.#options.attribution, nowMs) ?? [])
    const layers = standings.flatMap(({ endpoint, glance }) =>
      endpoint.glance?.marks === undefined
        ? []
        : [{ name: endpoint.name, points: glance?.points ?? [], known: glance !== null && glance.problem === null }],
    )
    const world = { generated_at: instant(nowMs), tiles, marks: [] }
    const bytesMax = WORLD_MAX_BYTES - Buffer.byteLength(JSON.stringify(world))
    return { ...world, marks: layersWithin(layers, bytesMax + "[]".length) }
  }
}
