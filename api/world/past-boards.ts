import { setImmediate as nextTurn } from "node:timers/promises"
import { LRUCache } from "lru-cache"
import type { Endpoint } from "../../schemas/contract/endpoint-kinds.ts"
import { hasPast, NOW } from "../../schemas/contract/past.ts"
import type { AttributionByPath } from "../../schemas/contract/provenance.ts"
import { worldEndpoint } from "../../schemas/endpoints/world.ts"
import type { ProblemReply } from "../http/problems.ts"
import { prepare } from "../http/representation.ts"
import { pastCacheControl, pastHeaders } from "../past/headers.ts"
import type { InstantRequest, PastReader } from "../past/reader.ts"
import { beforeHistory } from "../past/refusals.ts"
import { type BoardLogger, type BoardReply, glanceAt, type Shown, shownOf, worldOf } from "./layout.ts"
import type { Standing } from "./tile.ts"

/** What past boards are made of. */
interface PastBoardsOptions {
  readonly endpoints: ReadonlyArray<Endpoint>
  readonly attribution: AttributionByPath
  readonly past: PastReader
  readonly logger: BoardLogger
}

/** Boards that are reused, those of a day at the steps of its slider among them: each is some 100 kB, with its codings. */
const BOARDS_MAX = 96

/** Not all of it could be read: another request may get all. */
const PARTIAL = "no-store"

type PastViews = Exclude<Awaited<ReturnType<PastReader["readTogether"]>>, { readonly _tag: "Refused" }>
type Answer = PastViews["views"][number]

/** Every feed at a glance as it was known at earlier instants. Requests of one instant at the same time share a reply. */
export class PastBoards {
  readonly #options: PastBoardsOptions
  readonly #shown: ReadonlyArray<Shown>
  readonly #boards = new LRUCache<string, BoardReply>({ max: BOARDS_MAX })
  #purgesSeen = 0
  readonly #making = new Map<string, Promise<BoardReply | ProblemReply>>()

  constructor(options: PastBoardsOptions) {
    this.#options = options
    this.#shown = shownOf(options.endpoints)
  }

  /** The keys of the views that a board is made of, where they have a past. */
  get keys(): ReadonlyArray<string> {
    return this.#shown.flatMap(({ endpoint, key }) => (hasPast(endpoint) ? [key] : []))
  }

  /** The board of an instant, or why there is none. A board that was made for another request is not counted for this client. */
  async at({ client, ...request }: InstantRequest): Promise<BoardReply | ProblemReply> {
    const { past } = this.#options
    this.#forgetPurged()
    const accepted = past.acceptInstant(request)
    if (accepted._tag === "Refused") return accepted.problem
    const { requested } = accepted
    const known = this.#boards.get(requested) ?? this.#making.get(requested)
    if (known !== undefined) return known
    const purgesSeen = this.#purgesSeen
    const making = past
      .readTogether(this.#shown, { accepted, client })
      .then((read) => (read._tag === "Refused" ? read.problem : this.#make(read, purgesSeen)))
      .finally(() => {
        if (this.#making.get(requested) === making) this.#making.delete(requested)
      })
    this.#making.set(requested, making)
    return making
  }

  /** Forgets boards once more is taken out: what was taken out since may stand in any of them, also in one that is being made. */
  #forgetPurged(): void {
    const { purgesSeen } = this.#options.past
    if (purgesSeen === this.#purgesSeen) return
    this.#boards.clear()
    this.#making.clear()
    this.#purgesSeen = purgesSeen
  }

  async #make({ views, atMs, meta }: PastViews, purgesSeen: number): Promise<BoardReply | ProblemReply> {
    const begins = beginOf(views)
    if (begins !== null) return begins
    const standings: Array<Standing> = []
    for (const [at, { endpoint }] of this.#shown.entries()) {
      const view = views[at]
      if (view === undefined) continue
      standings.push(this.#standingOf(endpoint, view))
      await nextTurn()
    }
    const world = worldOf(standings, this.#options.attribution, atMs, meta)
    const isPartial = views.some((view) => view._tag === "Refused" && view.problem.status >= 500)
    const prepared = await prepare(Buffer.from(JSON.stringify(world)), {
      preparedAtMs: atMs,
      ttlMs: 0,
      changesAtMs: null,
      asOf: null,
      stale: null,
      missing: null,
      cacheControl: isPartial ? PARTIAL : pastCacheControl(meta),
      headers: pastHeaders(worldEndpoint.path, {}, meta),
    })
    const board = { world, prepared }
    // `now` names another instant each time.
    if (!isPartial && meta.requested !== NOW && purgesSeen === this.#purgesSeen) this.#boards.set(meta.requested, board)
    return board
  }

  #standingOf(endpoint: Shown["endpoint"], view: Answer): Standing {
    if (view._tag === "Refused")
      return { endpoint, changedAt: null, freshness: null, glance: null, unknown: reasonOf(view.problem) }
    const { data, freshness } = view
    const glance = data === null ? null : glanceAt(endpoint, data, this.#options.logger)
    return { endpoint, changedAt: data?.changedAt ?? null, freshness, glance }
  }
}

/** The refusal of an instant before the past of every view, with when the first begins; null where one was known. */
const beginOf = (views: ReadonlyArray<Answer>): ProblemReply | null => {
  const refusals = views.flatMap((view) => (view._tag === "Refused" ? [view.problem.body] : []))
  const before = refusals.filter(({ error }) => error === "before_history")
  const isBefore = before.length > 0 && refusals.length === views.length
  if (!isBefore || refusals.some(({ status }) => status >= 500)) return null
  const firsts = before.flatMap(({ first }) => (first === undefined || first === null ? [] : [Date.parse(first)]))
  return beforeHistory(firsts.length === 0 ? null : Math.min(...firsts))
}

const reasons: Readonly<Record<string, string>> = {
  no_history: "no past of it is kept",
  withdrawn: "it may no longer be shown",
  past_unavailable: "its past cannot be read at the moment",
}

/** Why a tile is not known, in short words. */
const reasonOf = ({ body: { error, first = null } }: ProblemReply): string => {
  if (error !== "before_history") return `${error}: ${reasons[error] ?? "it cannot be shown"}`
  return first === null ? `${error}: none of it is kept yet` : `${error}: its past begins at ${first}`
}
