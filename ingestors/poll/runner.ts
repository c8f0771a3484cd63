import * as Clock from "effect/Clock"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import type * as Scope from "effect/Scope"
import { v7 as uuidv7 } from "uuid"
import { type EventType, encodeEvent, instant, makeEvent } from "../../schemas/event.ts"
import { clockTicked, feedsDeclared } from "../../schemas/events/observations.ts"
import type { ClaimFailed, EventLog, LogRecord, ReadFailed } from "../../schemas/ports/event-log.ts"
import type { HttpClient } from "../http-client.port.ts"
import type { Source } from "../source.ts"
import { makeAdmission } from "./admission.ts"
import { TIMEOUT_MS } from "./collect.ts"
import { makeObserver, type Observer } from "./demand.ts"
import { makeDocumentCache } from "./document-cache.ts"
import { clockRecord, INGEST_WRITER, type IngestLog, type IngestStopped, openIngestLog } from "./ingest-log.ts"
import { exportInstances } from "./metrics.ts"
import { ownPace, type Pace } from "./pace.ts"
import {
  type AddressLookup,
  type Instance,
  type KeyLookup,
  makePlan,
  type Plan,
  type RestCheck,
  type RestingSource,
} from "./plan.ts"
import { makePoller, type Poller } from "./poller.ts"
import { firstDueMs, followingDueMs } from "./schedule.ts"
import { makeStepScheduler } from "./steps.ts"

const TICK_EVERY_MS = 10_000
const DECLARE_RETRY = "1 second"
/** After a gap between ticks of this length (a suspended machine, an outage of the log) the feeds are declared again. */
const TICK_GAP_MAX_MS = 60_000
/** The longest pause after a poll whose outcome could not be committed. */
const LOST_PAUSE_MAX_MS = 60_000

/** The running ingest role. */
export interface Ingest extends Observer {
  /** Fails when the role has ended: another process has claimed the writer, or the outcome of a commit is unknown. */
  readonly stopped: Effect.Effect<never, IngestStopped>
}

/** Dependencies and settings of the ingest role. */
export interface IngestOptions {
  readonly log: EventLog
  readonly http: HttpClient
  readonly sources: ReadonlyArray<Source>
  readonly keys: KeyLookup
  /** Addresses that settings name; none by default. */
  readonly addresses?: AddressLookup
  /** Why the operator's settings leave a source unpolled; they leave none by default. */
  readonly restedBySettings?: RestCheck
  /** Caps the interval of every source; for simulated upstreams. */
  readonly everyMsMax?: number | null
  /** Whether a simulated world stands in for the upstreams: every event of a poll says so. False by default. */
  readonly simulated?: boolean
  /** For one attempt of a request. */
  readonly timeoutMs?: number
  /** A source of numbers in [0, 1), for jitter. */
  readonly random?: () => number
  /** When what is due is done; everything at its own time by default. */
  readonly pace?: Pace
}

/** The records of an event of the role itself, with the checkpoint of its time. */
const ownRecords = <Data>(
  type: EventType<string, Data>,
  subject: string,
  timeMs: number,
  data: Data,
): ReadonlyArray<LogRecord> => {
  const time = instant(timeMs)
  const event = makeEvent(type, { id: uuidv7(), source: INGEST_WRITER, subject, time, data })
  return [{ topic: "observations", key: subject, value: encodeEvent(event) }, clockRecord(time)]
}

const declaration = (plan: Plan, timeMs: number): ReadonlyArray<LogRecord> =>
  ownRecords(feedsDeclared, "feeds", timeMs, { feeds: plan.declared })

/** The log line about sources that are not polled: by the setting that changes it, with the clauses of their terms. */
const restingText = ({ resting }: Plan): string => {
  const named = ({ source, clause }: RestingSource) => (clause === null ? source : `${source} ("${clause}")`)
  const bySetting = Map.groupBy(resting, ({ reason, setting }) => `${reason}, see ${setting}`)
  const reasons = [...bySetting].map(([why, sources]) => `${why}: ${sources.map(named).join(", ")}`)
  return `sources that are not polled: ${reasons.join("; ")}`
}

/** Declares which feeds are polled; retries until it is committed. */
const declare = (plan: Plan, { commit }: IngestLog) =>
  commit((timeMs) => ({ records: declaration(plan, timeMs) })).pipe(
    Effect.tap((committed) => (committed === null ? Effect.sleep(DECLARE_RETRY) : Effect.void)),
    Effect.repeat({ while: (committed) => committed === null }),
  )

const tick = (plan: Plan, { commit }: IngestLog, pace: Pace): Effect.Effect<never, IngestStopped> => {
  let lastMs: number | null = null
  const tickNow = commit((timeMs) => {
    const ticked = ownRecords(clockTicked, "clock", timeMs, {})
    const hadGap = lastMs !== null && timeMs - lastMs > TICK_GAP_MAX_MS
    return { timeMs, records: hadGap ? [...declaration(plan, timeMs), ...ticked] : ticked }
  }).pipe(
    Effect.tap((committed) =>
      Effect.sync(() => {
        lastMs = committed?.timeMs ?? lastMs
      }),
    ),
  )
  return Effect.gen(function* () {
    let dueMs = yield* Clock.currentTimeMillis
    for (;;) {
      yield* pace.at("clock", dueMs, tickNow)
      dueMs = (yield* Clock.currentTimeMillis) + TICK_EVERY_MS
    }
  })
}

/** Polls an instance whenever it is due, until interrupted. */
const pollOnSchedule = (
  instance: Instance,
  poller: Poller,
  random: () => number,
  pace: Pace,
): Effect.Effect<never, IngestStopped> =>
  Effect.gen(function* () {
    const { key, everyMs } = instance
    const checkpoint = () => poller.state(key)?.checkpoint
    let known = checkpoint()
    // A fetch on request since the last poll replaces this one.
    const pollUnlessFetched = Effect.suspend(() =>
      checkpoint() === known ? Effect.asVoid(poller.poll(instance, false)) : Effect.void,
    )
    let dueMs = firstDueMs(known ?? null, everyMs, yield* Clock.currentTimeMillis, random())
    for (;;) {
      yield* pace.at(key, dueMs, pollUnlessFetched)
      const after = checkpoint()
      const nowMs = yield* Clock.currentTimeMillis
      dueMs =
        after !== undefined && after !== known
          ? followingDueMs(after, everyMs, nowMs)
          : nowMs + Math.min(everyMs, LOST_PAUSE_MAX_MS)
      known = after
    }
  })

/**
 * Starts the ingest role: awaits its turn, claims the writer, restores its checkpoints, and polls until the scope closes or
 * the role ends. Every poll is one commit of its event, quarantined documents and the instance's checkpoint, so that a
 * process that dies during a poll loses that poll only.
 */
export const startIngest = Effect.fnUntraced(function* (
  options: IngestOptions,
): Effect.fn.Return<Ingest, ClaimFailed | ReadFailed, Scope.Scope> {
  const { random = Math.random, pace = ownPace } = options
  const log = yield* openIngestLog(options.log)
  const everyMsMax = options.everyMsMax ?? null
  const plan = makePlan(options.sources, options.keys, everyMsMax, options.restedBySettings, options.addresses)
  const stopped = yield* Deferred.make<never, IngestStopped>()
  const poller = yield* makePoller({
    plan,
    log,
    dependencies: {
      http: options.http,
      cache: makeDocumentCache(),
      scheduler: makeStepScheduler(),
      timeoutMs: options.timeoutMs ?? TIMEOUT_MS,
      admission: makeAdmission(log.restored.budgets, everyMsMax === null),
    },
    simulated: options.simulated ?? false,
    random,
    stopped,
  })

  const beganMs = yield* Clock.currentTimeMillis
  yield* Effect.acquireRelease(
    Effect.sync(() =>
      exportInstances({
        instances: () =>
          plan.scheduled.map(({ key, feed, everyMs }) => ({
            feed,
            everyMs,
            checkpoint: poller.state(key)?.checkpoint,
          })),
        beganMs,
      }),
    ),
    (hide) => Effect.sync(hide),
  )
  yield* Effect.logInfo(`polling ${plan.scheduled.length} instances of ${plan.declared.length}`)
  if (plan.resting.length > 0) yield* Effect.logInfo(restingText(plan))
  yield* declare(plan, log).pipe(
    Effect.andThen(
      Effect.all(
        // The tick comes last, so that it is behind the polls of its time where a pace does one after the other.
        [...plan.scheduled.map((instance) => pollOnSchedule(instance, poller, random, pace)), tick(plan, log, pace)],
        { concurrency: "unbounded", discard: true },
      ),
    ),
    Effect.raceFirst(Deferred.await(stopped)),
    Effect.onExit((exit) => (Exit.isFailure(exit) ? Deferred.failCause(stopped, exit.cause) : Effect.void)),
    Effect.forkScoped,
  )
  return { ...makeObserver(plan, poller, log, stopped), stopped: Deferred.await(stopped) }
})
