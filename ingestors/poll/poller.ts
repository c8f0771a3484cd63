import * as Cause from "effect/Cause"
import * as Clock from "effect/Clock"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import type * as Scope from "effect/Scope"
import { LRUCache } from "lru-cache"
import { v7 as uuidv7 } from "uuid"
import type { EventOf } from "../../schemas/event.ts"
import type { feedObserved } from "../../schemas/events/observations.ts"
import { makeFlights } from "../../schemas/flights.ts"
import { makeAnnouncementLines } from "./announcements.ts"
import { makeDocumentCache } from "./document-cache.ts"
import { budgetRecord, type IngestLog, type IngestStopped, type InstanceCheckpoint } from "./ingest-log.ts"
import { lostPolls, payloadBytes, pollDurations, polls, quarantined, unreadableRows } from "./metrics.ts"
import type { Instance, Plan } from "./plan.ts"
import { type Failure, type PollDependencies, type PollReport, poll } from "./poll.ts"
import { type PatchBase, recordPoll } from "./record.ts"
import { logBudgetBytes } from "./schedule.ts"

/** The same problem of the same document is recorded once in this time, since a broken upstream is polled every minute. */
const REPEATED_AFTER_MS = 3_600_000
const REMEMBERED_MAX = 2_000
/** Instances fetched on request whose state is kept in memory. */
const DEMANDED_REMEMBERED_MAX = 10_000
/** Limits of the last observations kept in memory, for feeds on demand: their number, and the bytes of their payloads. */
const OBSERVATIONS_MAX = 5_000
const OBSERVATIONS_MAX_BYTES = 16 * 1024 * 1024

/** An observation with its full payload, even if the log holds a patch or a confirmation instead. */
export type Observation = EventOf<typeof feedObserved>

/** The outcome of a poll that was committed, is unlogged, or asked no source; with its observation if it succeeded. */
export interface PollResult {
  readonly outcome: PollReport["outcome"]
  readonly observation: Observation | null
}

/** What is known of an instance after its last committed poll. */
export interface InstanceState {
  readonly checkpoint: InstanceCheckpoint
  /** The failure of that poll; null after a success, and after a start. */
  readonly failure: Failure | null
}

/** Polls instances, each at most once at a time, and commits the outcomes. */
export interface Poller {
  /**
   * Joins the running poll of an instance, or starts one: a fetch on request or a scheduled poll. Interrupting a caller does
   * not interrupt the poll. Null if the outcome could not be committed. A fetch on request that asks no source commits
   * nothing. A fetch of an unlogged instance shares no poll but its own kind, commits nothing, and changes no state of the
   * instance.
   */
  readonly poll: (instance: Instance, isOnRequest: boolean) => Effect.Effect<PollResult | null, IngestStopped>
  readonly state: (key: string) => InstanceState | undefined
  /** The last observation of an instance of a feed on demand, while it is in memory. */
  readonly lastObservation: (key: string) => Observation | undefined
  readonly isUnderWay: (instance: Instance) => boolean
  /** How many polls are under way. */
  readonly underWay: () => number
}

export interface PollerOptions {
  readonly plan: Plan
  readonly log: IngestLog
  readonly dependencies: PollDependencies
  /** Whether a simulated world stands in for the upstreams. */
  readonly simulated: boolean
  readonly random: () => number
  /** Completed with the failure of a commit that ends the role. */
  readonly stopped: Deferred.Deferred<never, IngestStopped>
}

/** Makes the poller. Running polls are interrupted when the scope closes. */
export const makePoller = Effect.fnUntraced(function* (
  options: PollerOptions,
): Effect.fn.Return<Poller, never, Scope.Scope> {
  const { plan, log, dependencies, simulated, random, stopped } = options
  const { admission } = dependencies
  const scheduledKeys = new Set(plan.scheduled.map(({ key }) => key))
  const scheduledStates = new Map<string, InstanceState>(
    [...log.restored.instances]
      .filter(([key]) => scheduledKeys.has(key))
      .map(([key, checkpoint]) => [key, { checkpoint, failure: null }]),
  )
  const demandedStates = new LRUCache<string, InstanceState>({ max: DEMANDED_REMEMBERED_MAX })
  const statesOf = (key: string) => (scheduledKeys.has(key) ? scheduledStates : demandedStates)
  const observations = new LRUCache<string, Observation>({
    max: OBSERVATIONS_MAX,
    maxSize: OBSERVATIONS_MAX_BYTES,
  })
  const bases = new Map<string, PatchBase>()
  const flights = makeFlights<PollResult | null, IngestStopped>({ scope: yield* Effect.scope })
  const inQuarantine = makeQuarantineFilter()
  const announcementLines = makeAnnouncementLines()

  const pollLogged = Effect.fnUntraced(function* (
    instance: Instance,
    isOnRequest: boolean,
  ): Effect.fn.Return<PollResult | null, IngestStopped> {
    const scheduled = scheduledKeys.has(instance.key)
    const states = statesOf(instance.key)
    const before = states.get(instance.key)?.checkpoint ?? null
    const beganMs = yield* Clock.currentTimeMillis
    const polled = yield* poll(dependencies, instance, before, isOnRequest)
    const { outcome } = polled
    if (isOnRequest && !polled.isAsked) return { outcome, observation: null }
    const recorded = yield* log.commit((timeMs) => {
      const made = recordPoll(instance, before, polled, {
        timeMs,
        beganMs,
        random: random(),
        newId: uuidv7,
        scheduled,
        simulated,
        quarantine: (undecoded) => inQuarantine(instance.key, undecoded, timeMs),
        base: scheduled ? (bases.get(instance.key) ?? null) : null,
      })
      // Budgets are saved with the next commit, whichever poll changed them.
      const budgets = admission.unsaved()
      const records = budgets.map(([name, checkpoint]) => budgetRecord(name, checkpoint))
      return { ...made, records: [...made.records, ...records], budgets }
    })
    if (recorded === null) {
      lostPolls.inc({ provider: outcome.candidate.provider })
      return null
    }
    const { checkpoint, observation } = recorded
    admission.saved(recorded.budgets)
    states.set(instance.key, { checkpoint, failure: outcome._tag === "Failure" ? outcome : null })
    if (instance.onDemand && observation !== null && outcome._tag === "Success")
      observations.set(instance.key, observation, { size: Math.max(1, outcome.payloadBytes) })
    if (recorded.base === null) bases.delete(instance.key)
    else bases.set(instance.key, recorded.base)
    countPoll(polled, recorded.outcome)
    yield* logOutcome(instance, before !== null && before.failures > 0, polled)
    yield* logThrottle(instance, before, checkpoint)
    for (const line of announcementLines(checkpoint.announced, before?.announced ?? [], beganMs))
      yield* Effect.logWarning(line)
    return { outcome, observation }
  })

  /**
   * Fetches an instance of an unlogged feed on request. Nothing is committed, quarantined or remembered, not even in memory:
   * the observation exists in the result alone.
   */
  const pollUnlogged = Effect.fnUntraced(
    function* (instance: Instance): Effect.fn.Return<PollResult | null> {
      const beganMs = yield* Clock.currentTimeMillis
      const polled = {
        ...(yield* poll({ ...dependencies, cache: makeDocumentCache() }, instance, null, true)),
        undecoded: [],
      }
      if (!polled.isAsked) return { outcome: polled.outcome, observation: null }
      // Of the records that a logged poll would commit, only the observation is used.
      const { observation, outcome } = recordPoll(instance, null, polled, {
        timeMs: yield* Clock.currentTimeMillis,
        beganMs,
        random: 0,
        newId: uuidv7,
        scheduled: false,
        simulated,
        quarantine: () => false,
      })
      countPoll(polled, outcome)
      return { outcome: polled.outcome, observation }
    },
    // A defect can hold what was asked: it ends the fetch alone, and is not logged.
    Effect.catchDefect(() => Effect.succeed(null)),
  )

  return {
    poll: (instance, isOnRequest) =>
      flights.ask(flightOf(instance), () =>
        (instance.unlogged ? pollUnlogged(instance) : pollLogged(instance, isOnRequest)).pipe(
          Effect.onExit((exit) =>
            Exit.isFailure(exit) && !Cause.hasInterruptsOnly(exit.cause)
              ? Deferred.failCause(stopped, exit.cause)
              : Effect.void,
          ),
        ),
      ),
    state: (key) => statesOf(key).get(key),
    lastObservation: (key) => observations.get(key),
    isUnderWay: (instance) => flights.underWay(flightOf(instance)) !== undefined,
    underWay: flights.count,
  }
})

/** Unlogged fetches are apart: a scheduled poll that joined one would not be committed. */
const flightOf = ({ key, unlogged }: Instance): string => (unlogged ? `unlogged/${key}` : key)

/** Makes the filter that decides whether an undecoded document is quarantined. */
export const makeQuarantineFilter = (): ((
  instance: string,
  undecoded: { readonly provider: string; readonly document: string; readonly problem: string },
  nowMs: number,
) => boolean) => {
  const quarantinedMs = new LRUCache<string, number>({ max: REMEMBERED_MAX })
  return (instance, { provider, document, problem }, nowMs) => {
    const key = [instance, provider, document, problem].join("\n")
    const lastMs = quarantinedMs.get(key)
    if (lastMs !== undefined && nowMs - lastMs < REPEATED_AFTER_MS) return false
    quarantinedMs.set(key, nowMs)
    return true
  }
}

const countPoll = ({ outcome, latencyMs, undecoded, unreadableRows: rows }: PollReport, name: string): void => {
  const { provider } = outcome.candidate
  polls.inc({ provider, outcome: name })
  pollDurations.observe({ provider }, latencyMs / 1000)
  if (outcome._tag === "Success") payloadBytes.observe({ provider }, outcome.payloadBytes)
  for (const one of undecoded) quarantined.inc({ provider: one.provider })
  if (rows > 0) unreadableRows.inc({ provider }, rows)
}

/** Logs the first failure of a feed, and its recovery. */
const logOutcome = (instance: Instance, failedBefore: boolean, { outcome }: PollReport): Effect.Effect<void> => {
  if (outcome._tag !== "Failure") return failedBefore ? Effect.logInfo(`${instance.key} has recovered`) : Effect.void
  const message = `${instance.key} fails: ${outcome.message}`
  return (failedBefore ? Effect.logDebug(message) : Effect.logWarning(message)).pipe(
    Effect.annotateLogs({ provider: outcome.candidate.provider }),
  )
}

/** Logs that an instance begins to be throttled, and that it is no longer. */
const logThrottle = (
  { key, feed }: Instance,
  before: InstanceCheckpoint | null,
  { throttledUntil, logged }: InstanceCheckpoint,
): Effect.Effect<void> => {
  const was = before?.throttledUntil ?? null
  if ((was === null) === (throttledUntil === null)) return Effect.void
  return throttledUntil === null
    ? Effect.logInfo(`${key} is polled at its interval again`)
    : Effect.logWarning(
        `${key} is polled less often: it has logged ${logged.bytes} of the ${logBudgetBytes(feed)} bytes that it may log in a day`,
      )
}
