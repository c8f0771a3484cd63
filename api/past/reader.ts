import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import PQueue from "p-queue"
import { cursorText, parseCursor } from "../../schemas/change.ts"
import { type Endpoint, standsReady } from "../../schemas/contract/endpoint-kinds.ts"
import { AtText, hasPast, NOW } from "../../schemas/contract/past.ts"
import type { PastMeta } from "../../schemas/contract/reply.ts"
import { instant } from "../../schemas/event.ts"
import { instanceKey } from "../../schemas/feed.ts"
import { type Past, type PastRecords, VersionDamaged } from "../../schemas/ports/past.ts"
import type { ViewFreshness } from "../../schemas/view-record.ts"
import type { ApiLimits } from "../http/limits.ts"
import type { AcceptedParameters } from "../http/parameters.ts"
import { type ProblemReply, rateLimited } from "../http/problems.ts"
import { COSTLY, minuteShare, PrefixShare } from "../http/shares.ts"
import { credited, type DataText } from "../views/compose.ts"
import { readViewRecord } from "../views/records.ts"
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

/** The past of views, and what of it may be shown today. */
export interface PastSource {
  readonly views: Past
  /** Whether what a provider gave may be shown today: its source is not off, and its terms still allow it. */
  readonly isShown: (provider: string) => boolean
  /** The lines of credit that terms require today, by the names of sources. */
  readonly credits: ReadonlyMap<string, string>
}

type PastLimits = Pick<ApiLimits, "pastRepliesPerMinute" | "pastReadMs">

/** Where it is logged that the history failed, or holds a damaged version. */
interface FaultLogger {
  readonly error: (fields: object, message: string) => void
}

/** A request for the past of a view. */
export interface PastRequest {
  readonly endpoint: Endpoint
  readonly accepted: AcceptedParameters
  /** The text of `at`, as the query has it. */
  readonly at: unknown
  /** The header Last-Event-ID. */
  readonly lastEventId: unknown
  readonly client: string
}

/** A view as it was known at an instant. */
export interface PastView {
  readonly _tag: "View"
  readonly data: DataText | null
  readonly freshness: ViewFreshness | null
  readonly atMs: number
  readonly meta: PastMeta
}

export type PastAnswer = PastView | RefusedPast

type RefusedPast = { readonly _tag: "Refused"; readonly problem: ProblemReply }

/** A request whose endpoint has a past, and whose `at` may be answered. */
interface AcceptedPast {
  readonly _tag: "Accepted"
  /** The key of the view. */
  readonly key: string
  /** `at` in its canonical text. */
  readonly requested: string
  readonly source: PastSource
}

/** Queries of the history that run at the same time, and those that wait for them; further ones are refused. */
const RUNNING_MAX = 8
const WAITING_MAX = 128
/** How long a watermark that is too low is believed. */
const WATERMARK_KEPT_MS = 500

const refused = (problem: ProblemReply): RefusedPast => ({ _tag: "Refused", problem })
const decodeAt = Schema.decodeUnknownOption(AtText)

/** Reads the views as they were known at earlier instants, for requests. */
export class PastReader {
  readonly #source: PastSource | null
  readonly #nowMs: () => number
  readonly #share: PrefixShare
  readonly #limits: PastLimits
  readonly #logger: FaultLogger
  readonly #queue = new PQueue({ concurrency: RUNNING_MAX })
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

  /** What a request asks for, or why it is refused whatever the history holds. */
  accept({ endpoint, accepted, at, lastEventId }: Omit<PastRequest, "client">): AcceptedPast | RefusedPast {
    if (!hasPast(endpoint)) return refused(noHistory())
    const key = endpoint.kind === "filtered" ? instanceKey(endpoint.path, {}) : accepted.key
    if (!standsReady(endpoint, key)) return refused(noHistory())
    const text = decodeAt(at)
    if (text._tag === "None") return refused(invalidAt(at))
    if (lastEventId !== undefined) return refused(conflictingPlaces())
    if (this.#source === null) return refused(notConfigured())
    return { _tag: "Accepted", key, requested: text.value, source: this.#source }
  }

  /** The view of a request as it was known then, or why there is none. */
  async read({ client, ...request }: PastRequest): Promise<PastAnswer> {
    const accepted = this.accept(request)
    if (accepted._tag === "Refused") return accepted
    const { allowed, resetSeconds } = this.#share.take(client, this.#nowMs())
    if (!allowed) {
      const message = `At most ${this.#limits.pastRepliesPerMinute} past replies a minute are made for one client, fewer for each of a busy network.`
      return refused(rateLimited(resetSeconds, message))
    }
    return (await this.#inTurn(this.#viewAt(accepted))) ?? refused(pastUnavailable())
  }

  readonly #viewAt = Effect.fnUntraced(
    { self: this },
    function* (this: PastReader, { source: { views, isShown, credits }, key, requested }: AcceptedPast) {
      const place = yield* this.#instantOf(views, requested)
      if (typeof place !== "number") return refused(place)
      const [records, cursor] = yield* Effect.all([views.recordsAt(key, place), views.changeAt(place)], {
        concurrency: "unbounded",
      })
      if (records === null) return refused(beforeHistory(yield* views.firstMs(key)))
      const view = viewOf(records)
      if (view === null) return yield* new VersionDamaged({ view: key, atMs: place })
      const hasGone = view.freshness?.sources.some(
        ({ name, fallback_source, status }) => status !== null && !isShown(fallback_source ?? name),
      )
      if (hasGone === true) return refused(withdrawn())
      const meta = { requested, known_at: instant(place), cursor: cursor === null ? null : cursorText(cursor) }
      const freshness = credited(view.freshness, credits)
      return { _tag: "View", data: view.data, freshness, atMs: place, meta } satisfies PastAnswer
    },
  )

  /** The settled instant that `at` names, in milliseconds; or why it names none. */
  readonly #instantOf = Effect.fnUntraced({ self: this }, function* (this: PastReader, views: Past, requested: string) {
    const cursor = parseCursor(requested)
    const nowMs = this.#nowMs()
    const asked = cursor === null ? (requested === NOW ? null : Date.parse(requested)) : yield* views.knownMsOf(cursor)
    if (cursor !== null && asked === null) {
      const last = yield* views.changeAt(nowMs)
      return unknownCursor(last !== null && last.log !== cursor.log)
    }
    if (asked !== null && cursor === null && asked > nowMs) return futureInstant()
    const watermarkMs = yield* this.#settledMs(views, asked ?? nowMs)
    if (watermarkMs === null || (asked !== null && asked > watermarkMs)) return notSettled(watermarkMs)
    return asked ?? watermarkMs
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
  #inTurn<E extends Error>(read: Effect.Effect<PastAnswer, E>): Promise<PastAnswer | null> {
    if (this.#queue.size >= WAITING_MAX) return Promise.resolve(null)
    return this.#queue.add(async () => {
      const result = await Effect.runPromise(Effect.result(Effect.timeout(read, this.#limits.pastReadMs)))
      if (Result.isSuccess(result)) return result.success
      this.#logger.error({ cause: result.failure.message }, "the past cannot be read")
      return null
    })
  }
}

/** Data and freshness of the records of a view; null where this release cannot read them. */
const viewOf = ({ body, freshness }: PastRecords): Pick<PastView, "data" | "freshness"> | null => {
  const read = {
    body: body === null ? null : readViewRecord("body", body),
    freshness: freshness === null ? null : readViewRecord("freshness", freshness),
  }
  if (read.body !== null && read.body._tag !== "Body") return null
  if (read.freshness !== null && read.freshness._tag !== "Freshness") return null
  return { data: read.body?.data ?? null, freshness: read.freshness?.freshness ?? null }
}
