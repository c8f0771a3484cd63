import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import PQueue from "p-queue"
import { parseCursor } from "../../schemas/change.ts"
import { type Endpoint, standsReady, type ViewEndpoint } from "../../schemas/contract/endpoint-kinds.ts"
import { AtText, hasPast, NOW } from "../../schemas/contract/past.ts"
import type { PastMeta } from "../../schemas/contract/reply.ts"
import { instanceKey, parseInstanceKey } from "../../schemas/feed.ts"
import type { Past, Purge } from "../../schemas/ports/past.ts"
import type { ApiLimits } from "../http/limits.ts"
import type { AcceptedParameters } from "../http/parameters.ts"
import { type ProblemReply, rateLimited } from "../http/problems.ts"
import { COSTLY, minuteShare, PrefixShare } from "../http/shares.ts"
import {
  type KnownView,
  knownViewAt,
  knownViewsAt,
  metaOf,
  type PastSource,
  type RefusedPast,
  refused,
} from "./known-view.ts"
import {
  beforeHistory,
  conflictingPlaces,
  futureInstant,
  invalidAt,
  noHistory,
  notConfigured,
  notSettled,
  pastUnavailable,
  unknownCursor,
  withdrawn,
} from "./refusals.ts"

type PastLimits = Pick<ApiLimits, "pastRepliesPerMinute" | "pastReadMs">

/** Where it is logged that the history failed, or holds a damaged version. */
interface FaultLogger {
  readonly error: (fields: object, message: string) => void
}

/** A request for what was known at an instant. */
export interface InstantRequest {
  /** The text of `at`, as the query has it. */
  readonly at: unknown
  /** The header Last-Event-ID. */
  readonly lastEventId: unknown
  /** Whose share it counts against; null where the service itself reads an instant, once for all its callers. */
  readonly client: string | null
}

/** A request for the past of a view. */
export interface PastRequest extends InstantRequest {
  readonly endpoint: Endpoint
  readonly accepted: AcceptedParameters
}

/** A view as it was known at an instant. */
export interface PastView extends KnownView {
  readonly atMs: number
  readonly meta: PastMeta
}

export type PastAnswer = PastView | RefusedPast

/** An `at` that may be answered. */
interface AcceptedInstant {
  readonly _tag: "Accepted"
  /** `at` in its canonical text. */
  readonly requested: string
  readonly source: PastSource
}

/** A request whose endpoint has a past, and whose `at` may be answered. */
interface AcceptedPast extends AcceptedInstant {
  /** The key of the view. */
  readonly key: string
}

/** A view by its endpoint and its key. */
interface NamedView {
  readonly endpoint: ViewEndpoint
  readonly key: string
}

/** What of the past can be asked for: from the first version of some views to the last instant that is settled. */
export interface PastBounds {
  readonly firstMs: number
  readonly settledMs: number
}

/** Several views as they were known at one instant, in the order in which they were asked for. */
interface PastViews {
  readonly _tag: "Views"
  readonly views: ReadonlyArray<KnownView | RefusedPast>
  readonly atMs: number
  readonly meta: PastMeta
}

/** Reads of the history that run at the same time, and those that wait for them; further ones are refused. */
interface Lane {
  readonly queue: PQueue
  readonly waitingMax: number
}

const makeLane = (runningMax: number, waitingMax: number): Lane => ({
  queue: new PQueue({ concurrency: runningMax }),
  waitingMax,
})

/** A board counts as so many past replies: all its views are read together, which takes the history less than each alone. */
const BOARD_REPLIES = 8
/** How long a watermark that is too low is believed. */
const WATERMARK_KEPT_MS = 500

/** How long it is believed that no operator has taken out more. */
const PURGES_KEPT_MS = 10_000

const decodeAt = Schema.decodeUnknownOption(AtText)

const isPurged = (purges: ReadonlyArray<Purge>, key: string, atMs: number): boolean => {
  const { name } = parseInstanceKey(key)
  return purges.some(({ path, fromMs, toMs }) => path === name && fromMs <= atMs && atMs < toMs)
}

/** Reads the views as they were known at earlier instants, for requests. */
export class PastReader {
  readonly #source: PastSource | null
  readonly #nowMs: () => number
  readonly #share: PrefixShare
  readonly #limits: PastLimits
  readonly #logger: FaultLogger
  readonly #replies = makeLane(8, 128)
  readonly #boards = makeLane(2, 16)
  #purges: { readonly list: ReadonlyArray<Purge>; readonly ofFeeds: number; readonly readAtMs: number } | null = null
  #isReadingPurges = false
  #watermark: { readonly ms: number | null; readonly readAtMs: number } | null = null

  constructor(
    source: PastSource | null,
    options: { readonly nowMs: () => number; readonly limits: PastLimits; readonly logger: FaultLogger },
  ) {
    this.#source = source
    this.#nowMs = options.nowMs
    this.#logger = options.logger
    this.#limits = options.limits
    this.#share = new PrefixShare(minuteShare(options.limits.pastRepliesPerMinute, COSTLY))
  }

  /**
   * Rises when an operator takes past replies out: what was made before may not be served any more. Reads anew what was taken out
   * after some seconds, for the next request.
   */
  get purgesSeen(): number {
    const isOld = this.#purges === null || this.#nowMs() - this.#purges.readAtMs >= PURGES_KEPT_MS
    const ofFeeds = this.#source?.purgesOfFeeds?.() ?? 0
    if (isOld && this.#source !== null && !this.#isReadingPurges) {
      this.#isReadingPurges = true
      const read = Effect.timeout(this.#purgesNow(this.#source.views), this.#limits.pastReadMs)
      void Effect.runPromise(Effect.ignore(read)).finally(() => {
        this.#isReadingPurges = false
      })
    }
    return (this.#purges?.list.length ?? 0) + ofFeeds
  }

  /** What a request asks for, or why it is refused whatever the history holds. */
  accept({ endpoint, accepted, at, lastEventId }: Omit<PastRequest, "client">): AcceptedPast | RefusedPast {
    if (!hasPast(endpoint)) return refused(noHistory())
    const key = endpoint.kind === "filtered" ? instanceKey(endpoint.path, {}) : accepted.key
    if (!standsReady(endpoint, key)) return refused(noHistory())
    const instantAccepted = this.acceptInstant({ at, lastEventId })
    return instantAccepted._tag === "Refused" ? instantAccepted : { ...instantAccepted, key }
  }

  /** The instant that a request asks for, or why it is refused whatever the history holds. */
  acceptInstant({ at, lastEventId }: Omit<InstantRequest, "client">): AcceptedInstant | RefusedPast {
    const text = decodeAt(at)
    if (text._tag === "None") return refused(invalidAt(at))
    if (lastEventId !== undefined) return refused(conflictingPlaces())
    if (this.#source === null) return refused(notConfigured())
    return { _tag: "Accepted", requested: text.value, source: this.#source }
  }

  /** The view of a request as it was known then, or why there is none. */
  async read({ client, ...request }: PastRequest): Promise<PastAnswer> {
    const accepted = this.accept(request)
    if (accepted._tag === "Refused") return accepted
    return (
      this.#overShare(client, 1) ??
      (await this.#inTurn(this.#replies, this.#viewAt(accepted))) ??
      refused(pastUnavailable())
    )
  }

  /**
   * Several views as they were known at one instant, each or why it cannot be shown; or why none can. It counts as some past
   * replies, whatever the number of views.
   */
  async readTogether(
    shown: ReadonlyArray<NamedView>,
    { accepted, client }: { readonly accepted: AcceptedInstant; readonly client: string | null },
  ): Promise<PastViews | RefusedPast> {
    return (
      this.#overShare(client, BOARD_REPLIES) ??
      (await this.#inTurn(this.#boards, this.#viewsAt(shown, accepted))) ??
      refused(pastUnavailable())
    )
  }

  /** The bounds of the past of some views, null while there is none; or why they cannot be read. */
  async bounds(keys: ReadonlyArray<string>): Promise<PastBounds | ProblemReply | null> {
    const source = this.#source
    if (source === null) return notConfigured()
    const read = Effect.all([source.views.firstMs(keys), this.#settledMs(source.views, this.#nowMs())], {
      concurrency: "unbounded",
    })
    const known = await this.#inTurn(this.#boards, read)
    if (known === null) return pastUnavailable()
    const [firsts, settledMs] = known
    if (firsts.size === 0 || settledMs === null) return null
    return { firstMs: Math.min(...firsts.values()), settledMs }
  }

  /** Counts past replies of a client; the refusal where it has used up its share, and then counts none of them. */
  #overShare(client: string | null, count: number): RefusedPast | null {
    if (client === null) return null
    for (let counted = 0; counted < count; counted++) {
      const { allowed, resetSeconds } = this.#share.take(client, this.#nowMs())
      if (allowed) continue
      for (; counted > 0; counted--) this.#share.giveBack(client)
      const message = `At most ${this.#limits.pastRepliesPerMinute} past replies a minute are made for one client, fewer for each of a busy network.`
      return refused(rateLimited(resetSeconds, message))
    }
    return null
  }

  readonly #viewAt = Effect.fnUntraced(
    { self: this },
    function* (this: PastReader, { source, key, requested }: AcceptedPast) {
      const place = yield* this.#instantOf(source.views, requested, [key])
      if (typeof place !== "number") return refused(place)
      // What was taken out may not be there to be read.
      if (isPurged(yield* this.#purgesNow(source.views), key, place)) return refused(withdrawn())
      const view = yield* knownViewAt(source, key, place)
      if (view._tag === "Refused") return view
      const { change, ...known } = view
      return { ...known, atMs: place, meta: metaOf(requested, place, change) } satisfies PastAnswer
    },
  )

  readonly #viewsAt = Effect.fnUntraced(
    { self: this },
    function* (this: PastReader, shown: ReadonlyArray<NamedView>, { source, requested }: AcceptedInstant) {
      const keys = shown.flatMap(({ endpoint, key }) => (hasPast(endpoint) ? [key] : []))
      const place = yield* this.#instantOf(source.views, requested, keys)
      if (typeof place !== "number") return refused(place)
      const [known, change, purges] = yield* Effect.all(
        [knownViewsAt(source, keys, place), source.views.changeAt(place), this.#purgesNow(source.views)],
        { concurrency: "unbounded" },
      )
      const views = shown.map(({ key }) => {
        if (isPurged(purges, key, place)) return refused(withdrawn())
        const view = known[keys.indexOf(key)] ?? refused(noHistory())
        return view._tag === "VersionDamaged" ? this.#failed(view) : view
      })
      return { _tag: "Views", views, atMs: place, meta: metaOf(requested, place, change) } satisfies PastViews
    },
  )

  /** The settled instant that `at` names for these views, in milliseconds; or why it names none. */
  readonly #instantOf = Effect.fnUntraced(
    { self: this },
    function* (this: PastReader, views: Past, requested: string, keys: ReadonlyArray<string>) {
      const cursor = parseCursor(requested)
      const nowMs = this.#nowMs()
      const asked =
        cursor === null ? (requested === NOW ? null : Date.parse(requested)) : yield* views.knownMsOf(cursor)
      if (asked === "before") {
        const firsts = [...(yield* views.firstMs(keys)).values()]
        return beforeHistory(firsts.length === 0 ? null : Math.min(...firsts))
      }
      if (cursor !== null && asked === null) {
        const last = yield* views.changeAt(nowMs)
        return unknownCursor(last !== null && last.log !== cursor.log)
      }
      if (asked !== null && cursor === null && asked > nowMs) return futureInstant()
      const watermarkMs = yield* this.#settledMs(views, asked ?? nowMs)
      if (watermarkMs === null || (asked !== null && asked > watermarkMs)) return notSettled(watermarkMs)
      return asked ?? watermarkMs
    },
  )

  /** What operators have taken out: read anew after some seconds, and at once where this process knows of more. */
  readonly #purgesNow = Effect.fnUntraced({ self: this }, function* (this: PastReader, views: Past) {
    const nowMs = this.#nowMs()
    const ofFeeds = this.#source?.purgesOfFeeds?.() ?? 0
    const known = this.#purges
    if (known !== null && known.ofFeeds === ofFeeds && Math.abs(nowMs - known.readAtMs) < PURGES_KEPT_MS)
      return known.list
    const list = yield* views.purges
    this.#purges = { list, ofFeeds, readAtMs: nowMs }
    return list
  })

  /** The watermark: one that was read before where it covers the instant, or was read just now. */
  readonly #settledMs = Effect.fnUntraced({ self: this }, function* (this: PastReader, views: Past, neededMs: number) {
    const nowMs = this.#nowMs()
    const known = this.#watermark
    if (known !== null && ((known.ms ?? 0) >= neededMs || Math.abs(nowMs - known.readAtMs) < WATERMARK_KEPT_MS))
      return known.ms
    const ms = yield* views.settledMs
    this.#watermark = { ms, readAtMs: nowMs }
    return ms
  })

  /** Runs a read when it is its turn; null where too many wait, and where the history fails or takes too long. */
  #inTurn<A, E extends Error>({ queue, waitingMax }: Lane, read: Effect.Effect<A, E>): Promise<A | null> {
    if (queue.size >= waitingMax) return Promise.resolve(null)
    return queue.add(async () => {
      const result = await Effect.runPromise(Effect.result(Effect.timeout(read, this.#limits.pastReadMs)))
      if (Result.isSuccess(result)) return result.success
      this.#failed(result.failure)
      return null
    })
  }

  #failed({ message }: Error): RefusedPast {
    this.#logger.error({ cause: message }, "the past cannot be read")
    return refused(pastUnavailable())
  }
}
