import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import type * as Scope from "effect/Scope"
import * as Semaphore from "effect/Semaphore"
import * as Stream from "effect/Stream"
import { Instant } from "../../schemas/event.ts"
import { Announcement } from "../../schemas/events/observations.ts"
import type {
  ClaimFailed,
  CommitFailed,
  EventLog,
  Fenced,
  FencedWriter,
  LogRecord,
  OutcomeUnknown,
  ReadFailed,
  UnknownTopic,
} from "../../schemas/ports/event-log.ts"

// The ingest role's part of the log: the writer that it claims, its checkpoints, and its commits.

/** The writer name that the active ingest role claims. */
export const INGEST_WRITER = "ingest"

/** Keys of the ingest role within the topic `checkpoints`. */
const PREFIX = "ingest/"
const CLOCK = `${PREFIX}#clock`
const BUDGET = `${PREFIX}#budget/`

/** Validators of a source's only document, for a conditional request. The request is hashed, since some hold keys. */
export const Validators = Schema.Struct({
  requestHash: Schema.String,
  etag: Schema.optionalKey(Schema.String),
  lastModified: Schema.optionalKey(Schema.String),
  /** When the document was last fetched in full. */
  fetchedAt: Instant,
})
export type Validators = typeof Validators.Type

/** The bytes that an instance logged in a day (UTC). */
const LoggedBytes = Schema.Struct({
  /** `YYYY-MM-DD` */
  day: Schema.String,
  bytes: Schema.Natural,
})
export type LoggedBytes = typeof LoggedBytes.Type

/** The state of one instance of a feed: enough for a restart to continue its schedule and change detection. */
export const InstanceCheckpoint = Schema.Struct({
  v: Schema.Literal(3),
  /** When the last poll ended. */
  polledAt: Instant,
  /** When the next poll is due. */
  dueAt: Instant,
  /** Polls that failed since the last success. */
  failures: Schema.Natural,
  /** The last success, whose payload is in the log; null before the first one. */
  last: Schema.NullOr(
    Schema.Struct({
      hash: Schema.String,
      provider: Schema.String,
      contentAt: Schema.NullOr(Instant),
      confirmedAt: Instant,
      validators: Schema.NullOr(Validators),
    }),
  ),
  /** All that the sources of the instance announce, as the log has it. */
  announced: Schema.Array(Announcement),
  /** What it has logged in the day of its last poll. */
  logged: LoggedBytes,
  /** Not polled before then, as it logs too much; null where it keeps its interval. */
  throttledUntil: Schema.NullOr(Instant),
})
export type InstanceCheckpoint = typeof InstanceCheckpoint.Type

/** Counts of the requests within a quota's period, in pieces of that period. */
export const QuotaWindow = Schema.Struct({
  per: Schema.Literals(["minute", "hour", "day", "month"]),
  pieces: Schema.Array(
    Schema.Struct({
      /** Milliseconds since the epoch. */
      startMs: Schema.Natural,
      requests: Schema.Natural,
      /** Those of them that were fetches on request. */
      onRequest: Schema.Natural,
    }),
  ),
})
export type QuotaWindow = typeof QuotaWindow.Type

/** The use of each quota of a budget: of a provider, or of one source's fetches on request. */
export const BudgetCheckpoint = Schema.Struct({ v: Schema.Literal(2), windows: Schema.Array(QuotaWindow) })
export type BudgetCheckpoint = typeof BudgetCheckpoint.Type

const ClockCheckpoint = Schema.Struct({ v: Schema.Literal(1), lastTime: Instant })

const encoder = new TextEncoder()
const decoder = new TextDecoder()
const record = (key: string, value: unknown): LogRecord => ({
  topic: "checkpoints",
  key,
  value: encoder.encode(JSON.stringify(value)),
})

/** The record of an instance's checkpoint, under `ingest/<instance key>`. */
export const instanceRecord = (key: string, checkpoint: InstanceCheckpoint): LogRecord =>
  record(`${PREFIX}${key}`, checkpoint)

/** The record of a budget, by its name. */
export const budgetRecord = (name: string, checkpoint: BudgetCheckpoint): LogRecord =>
  record(`${BUDGET}${name}`, checkpoint)

/** The record of the latest event time of the writer. */
export const clockRecord = (lastTime: string): LogRecord =>
  record(CLOCK, { v: 1, lastTime } satisfies typeof ClockCheckpoint.Type)

/** The state of an earlier ingest role, restored from the log. */
export interface Restored {
  readonly instances: ReadonlyMap<string, InstanceCheckpoint>
  readonly budgets: ReadonlyMap<string, BudgetCheckpoint>
  /** Lower bound of every later event time: milliseconds since the epoch, 0 without earlier events. */
  readonly lastTimeMs: number
}

const decodeInstance = Schema.decodeUnknownOption(Schema.fromJsonString(InstanceCheckpoint))
const decodeBudget = Schema.decodeUnknownOption(Schema.fromJsonString(BudgetCheckpoint))
const decodeClock = Schema.decodeUnknownOption(Schema.fromJsonString(ClockCheckpoint))

/**
 * Reads the checkpoints of the ingest role. One that does not decode counts as absent: its instance is then
 * polled before it is due.
 */
export const restore = Effect.fnUntraced(function* (log: EventLog): Effect.fn.Return<Restored, ReadFailed> {
  const latest = new Map<string, Uint8Array | null>()
  const from = yield* log.start("checkpoints")
  yield* log.read("checkpoints", from).pipe(
    Stream.runForEach(({ records }) =>
      Effect.sync(() => {
        for (const { key, value } of records) if (key.startsWith(PREFIX)) latest.set(key, value)
      }),
    ),
  )
  const instances = new Map<string, InstanceCheckpoint>()
  const budgets = new Map<string, BudgetCheckpoint>()
  let lastTimeMs = 0
  for (const [key, value] of latest) {
    if (value === null) continue
    const text = decoder.decode(value)
    if (key === CLOCK) {
      const clock = decodeClock(text)
      if (Option.isSome(clock)) lastTimeMs = Math.max(lastTimeMs, Date.parse(clock.value.lastTime))
    } else if (key.startsWith(BUDGET)) {
      const budget = decodeBudget(text)
      if (Option.isSome(budget)) budgets.set(key.slice(BUDGET.length), budget.value)
    } else {
      const instance = decodeInstance(text)
      if (Option.isNone(instance)) continue
      instances.set(key.slice(PREFIX.length), instance.value)
      lastTimeMs = Math.max(lastTimeMs, Date.parse(instance.value.polledAt))
    }
  }
  return { instances, budgets, lastTimeMs }
})

/** A failure that ends the ingest role: recovery needs a new claim and a read of the log. */
export type IngestStopped = Fenced | OutcomeUnknown | UnknownTopic

/** The log as the active ingest role uses it. */
export interface IngestLog {
  readonly restored: Restored
  /**
   * Builds records for a time (milliseconds since the epoch, never below that of an earlier commit) and commits them, one
   * commit after the other. Gives the built value; null if the log is unavailable or full, or a record too large, and
   * nothing was written.
   */
  readonly commit: <Built extends { readonly records: ReadonlyArray<LogRecord> }>(
    build: (timeMs: number) => Built,
  ) => Effect.Effect<Built | null, IngestStopped>
}

/** Makes `commit` of a claimed writer. `lastTimeMs` is the time of the latest event written before the claim. */
const makeCommit = (writer: FencedWriter, lastTimeMs: number): IngestLog["commit"] => {
  // One commit at a time: otherwise a later time could be written before an earlier one.
  const turn = Semaphore.makeUnsafe(1)
  let latestMs = lastTimeMs
  let refusing = false
  const commitOnce = Effect.fnUntraced(function* <Built extends { readonly records: ReadonlyArray<LogRecord> }>(
    build: (timeMs: number) => Built,
  ) {
    latestMs = Math.max(latestMs, yield* Clock.currentTimeMillis)
    const built = build(latestMs)
    yield* writer.commit(built.records)
    refusing = false
    return built
  })
  return (build) =>
    commitOnce(build).pipe(
      Effect.catch((failed: CommitFailed) => {
        if (failed._tag === "Fenced" || failed._tag === "OutcomeUnknown" || failed._tag === "UnknownTopic")
          return Effect.fail(failed)
        // Logged once: every poll during the outage fails in the same way.
        const isLogged = refusing
        refusing = true
        return isLogged ? Effect.succeed(null) : Effect.as(Effect.logWarning(failed.message), null)
      }),
      Semaphore.withPermit(turn),
    )
}

/** Awaits the role's turn, claims its writer and restores its checkpoints. */
export const openIngestLog = Effect.fnUntraced(function* (
  log: EventLog,
): Effect.fn.Return<IngestLog, ClaimFailed | ReadFailed, Scope.Scope> {
  yield* log.awaitTurn(INGEST_WRITER)
  const writer = yield* log.claim(INGEST_WRITER, ["observations", "quarantine", "checkpoints"])
  const restored = yield* restore(log)
  return { restored, commit: makeCommit(writer, restored.lastTimeMs) }
})
