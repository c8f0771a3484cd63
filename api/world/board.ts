import { setImmediate as nextTurn } from "node:timers/promises"
import type { Endpoint, ViewEndpoint } from "../../schemas/contract/endpoint-kinds.ts"
import type { AttributionByPath } from "../../schemas/contract/provenance.ts"
import { worldEndpoint } from "../../schemas/endpoints/world.ts"
import { prepare } from "../http/representation.ts"
import { type DataText, nextChangeMs } from "../views/compose.ts"
import type { ViewStore } from "../views/store.ts"
import { type BoardLogger, type BoardReply, glanceAt, type Shown, shownOf, worldOf } from "./layout.ts"
import type { MadeGlance, Standing } from "./tile.ts"

/** What the board is made of: the options of the API of these names. */
export interface BoardOptions {
  readonly endpoints: ReadonlyArray<Endpoint>
  readonly store: ViewStore
  readonly attribution: AttributionByPath
  readonly nowMs: () => number
  readonly logger: BoardLogger
}

/** A reply, and what it was made of. */
interface MadeReply extends BoardReply {
  readonly standings: ReadonlyArray<Standing>
  readonly madeAtMs: number
  /** When a tile becomes stale without news. */
  readonly changesAtMs: number
}

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
    const world = worldOf(standings, this.#options.attribution, madeAtMs)
    const ttlMs = worldEndpoint.ttlMs({})
    const facts = { preparedAtMs: madeAtMs, ttlMs, changesAtMs: null, asOf: null, stale: null, missing: null }
    const prepared = await prepare(Buffer.from(JSON.stringify(world)), facts)
    const changes = standings.flatMap(({ freshness }) => nextChangeMs(freshness, madeAtMs) ?? [])
    this.#reply = { world, prepared, standings, madeAtMs, changesAtMs: Math.min(...changes) }
    return this.#reply
  }

  #glanceAt(endpoint: ViewEndpoint, data: DataText): MadeGlance {
    const made = this.#glances.get(data) ?? glanceAt(endpoint, data, this.#options.logger)
    this.#glances.set(data, made)
    return made
  }
}
