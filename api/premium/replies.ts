import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as Schedule from "effect/Schedule"
import * as Schema from "effect/Schema"
import type * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import { encodeEvent, instant, makeEvent, makeEventReader } from "../../schemas/event.ts"
import { replyKept } from "../../schemas/events/replies.ts"
import type { AppendFailed, EventLog, Offset } from "../../schemas/ports/event-log.ts"

/** The largest body that is stored. */
export const KEPT_BODY_MAX_BYTES = 1024 * 1024
/** Replies whose offset is in memory; the oldest is dropped first. */
const PLACES_MAX = 500_000
/** How long an offset stays in memory: an hour longer than the ledger remembers a key. */
const PLACE_LIFE_MS = 25 * 60 * 60_000
/** How long a replay waits until records of other processes are read here. */
const CATCH_UP_MAX_MS = 3_000

const patience = Schedule.min([Schedule.exponential("100 millis"), Schedule.spaced("2 seconds")]).pipe(
  Schedule.jittered,
)

/** A reply as it was sent: it is sent again when the request is repeated under its Idempotency-Key. */
export interface KeptReply {
  readonly status: number
  /** The bytes of its body. */
  readonly body: Buffer
  /** `X-Service-Receipt-Id`. */
  readonly receiptId: string
}

/** The stored reply to a debit. `tooLarge`: it was sent, and its body was too large to be stored. */
export type ReplyLookup = KeptReply | "tooLarge" | "unknown"

/** The stored replies cannot be written or read now. A retry may succeed. */
export class RepliesUnavailable extends Schema.TaggedError<RepliesUnavailable>()("RepliesUnavailable", {
  problem: Schema.String,
}) {
  override get message() {
    return `kept replies are unavailable: ${this.problem}`
  }
}

/** The replies of the last 24 hours that were sent under an Idempotency-Key, by the id of their debit. */
export interface ReplyStore {
  /** Stores a reply, and succeeds when it is durable. Of a body over 1 MiB only the fact is stored. */
  readonly append: (debit: string, reply: KeptReply) => Effect.Effect<void, RepliesUnavailable>
  /** The reply to a debit. Waits up to 3 s until this process has read the log to its end. */
  readonly get: (debit: string) => Effect.Effect<ReplyLookup, RepliesUnavailable>
}

const { decodeEvent } = makeEventReader([replyKept])
const isKept = Schema.is(replyKept.data)

const read = (value: Uint8Array): Result.Result<ReplyLookup, RepliesUnavailable> => {
  const event = decodeEvent(value)
  if (Result.isFailure(event)) return Result.fail(new RepliesUnavailable({ problem: event.failure.message }))
  const { data } = event.success
  if (!isKept(data)) return Result.fail(new RepliesUnavailable({ problem: "a record holds no reply" }))
  const { status, receiptId, body } = data
  return Result.succeed(body === null ? "tooLarge" : { status, receiptId, body: Buffer.from(body) })
}

/**
 * Opens the stored replies of a log. Follows topic `replies` for the scope and holds the offset of each reply in memory, not
 * the reply; bytes are read from the log on request.
 */
export const openReplies = Effect.fnUntraced(function* (options: {
  readonly log: EventLog
  readonly nowMs?: () => number
  readonly placesMax?: number
  readonly catchUpMsMax?: number
}): Effect.fn.Return<ReplyStore, never, Scope.Scope> {
  const { log, nowMs = Date.now, catchUpMsMax = CATCH_UP_MAX_MS } = options
  // A Map in insertion order, as lru-cache allocates the memory of all its entries at its start.
  const places = new Map<string, { readonly offset: Offset; readonly atMs: number }>()
  const placesMax = options.placesMax ?? PLACES_MAX
  const remember = (debit: string, offset: Offset, atMs: number): void => {
    places.delete(debit)
    places.set(debit, { offset, atMs })
    for (const [oldest, place] of places) {
      if (places.size <= placesMax && place.atMs + PLACE_LIFE_MS > atMs) break
      places.delete(oldest)
    }
  }
  const waiting = new Set<() => void>()
  let next: Offset | null = null

  const follow = Effect.gen(function* () {
    next ??= yield* log.start("replies")
    yield* Stream.runForEach(log.follow("replies", next), (batch) =>
      Effect.sync(() => {
        for (const { key, offset } of batch.records) remember(key, offset, nowMs())
        next = batch.next
        for (const look of waiting) look()
      }),
    )
  })
  yield* Effect.forkScoped(
    follow.pipe(
      Effect.tapCause((cause) => Effect.logWarning("kept replies cannot be followed", cause)),
      Effect.ignoreCause,
      Effect.repeat(patience),
    ),
  )

  const seen = (end: Offset): Effect.Effect<void> =>
    Effect.callback<void>((resume) => {
      const look = () => {
        if (next === null || next < end) return
        waiting.delete(look)
        resume(Effect.void)
      }
      waiting.add(look)
      look()
      return Effect.sync(() => waiting.delete(look))
    })
  const late = () => Effect.fail(new RepliesUnavailable({ problem: "the log could not be read in time" }))

  const bytesAt = (offset: Offset) =>
    log.read("replies", offset).pipe(
      Stream.take(1),
      Stream.runFold(
        (): Uint8Array | null => null,
        (found, { records }) => found ?? records.find((record) => record.offset === offset)?.value ?? null,
      ),
    )

  const write = (debit: string, reply: KeptReply, body: string | null): Effect.Effect<void, AppendFailed> => {
    const data = { debit, status: reply.status, receiptId: reply.receiptId, body }
    const event = { id: debit, source: "tidewire/api", subject: debit, time: instant(nowMs()), data }
    return log.append([{ topic: "replies", key: debit, value: encodeEvent(makeEvent(replyKept, event)) }])
  }

  return {
    append: (debit, reply) =>
      write(debit, reply, reply.body.length > KEPT_BODY_MAX_BYTES ? null : reply.body.toString()).pipe(
        Effect.catchTag("RecordTooLarge", () => write(debit, reply, null)),
        Effect.mapError(({ message }) => new RepliesUnavailable({ problem: message })),
      ),
    get: (debit) =>
      Effect.gen(function* () {
        if (!places.has(debit)) yield* seen(yield* log.end("replies"))
        const place = places.get(debit)
        if (place === undefined) return "unknown" as const
        const value = yield* bytesAt(place.offset)
        // The log has dropped the record since, after its retention of a day.
        if (value === null) return "unknown" as const
        return yield* Effect.fromResult(read(value))
      }).pipe(
        Effect.catchTags({
          LogUnavailable: ({ message }) => Effect.fail(new RepliesUnavailable({ problem: message })),
          UnknownTopic: ({ message }) => Effect.fail(new RepliesUnavailable({ problem: message })),
        }),
        Effect.timeoutOrElse({ duration: catchUpMsMax, orElse: late }),
      ),
  }
})
