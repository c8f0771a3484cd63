import * as Cause from "effect/Cause"
import * as Clock from "effect/Clock"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import type * as Scope from "effect/Scope"
import { LRUCache } from "lru-cache"
import { v7 as uuidv7 } from "uuid"
import type { EventOf } from "../schemas/event.ts"
import type { feedObserved } from "../schemas/events/observations.ts"
import type { Admission } from "./admission.ts"
import { makeAnnouncementLines } from "./announcements.ts"
import type { Budgets } from "./budgets.ts"
import { budgetRecord, type InstanceCheckpoint, type Restored } from "./checkpoint.ts"
import type { CollectDependencies } from "./collect.ts"
import type { Committer, IngestStopped } from "./committer.ts"
import { makeDocumentCache } from "./document-cache.ts"
import { logBudgetBytes } from "./log-budget.ts"
import { lostPolls, payloadBytes, pollDurations, polls, quarantined, unreadableRows } from "./metrics.ts"
import type { PatchBase } from "./patch-base.ts"
import type { Candidate, Instance, Plan } from "./plan.ts"
import { type PollOptions, type PollReport, poll } from "./poll.ts"
import type { Failure } from "./poll-outcome.ts"
import { type PollRecords, recordPoll } from "./record-poll.ts"

/** The report of a fetch that leaves no trace, and its observation if it succeeded. */
interface UnloggedFetch {
  readonly polled: PollReport
  readonly observation: PollRecords["observation"]
  readonly outcome: string
}

/**
 * Fetches an instance of an unlogged feed on request. Nothing is committed, quarantined or remembered, not even in memory:
 * the observation exists in the result alone.
 */
const fetchUnlogged = Effect.fnUntraced(function* (
  options: PollOptions,
  instance: Instance,
  begin: (candidate: Candidate) => Failure | null,
): Effect.fn.Return<UnloggedFetch> {
  const beganMs = yield* Clock.currentTimeMillis
  const context = { ...options.context, cache: makeDocumentCache() }
  const polled = { ...(yield* poll({ ...options, context }, instance, null, true, begin)), undecoded: [] }
  // Of the records that a logged poll would commit, only the observation is used.
  const { observation, outcome } = recordPoll(instance, null, polled, {
    timeMs: yield* Clock.currentTimeMillis,
    beganMs,
    random: 0,
    newId: uuidv7,
    scheduled: false,
    simulated: options.simulated === true,
    quarantine: () => false,
  })
  return { polled, observation, outcome }
})

/** The same problem of the same document is recorded once in this time, since a broken upstream is polled every minute. */
const REPEATED_AFTER_MS = 3_600_000
const REMEMBERED_MAX = 2_000

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

/** Instances fetched on request whose checkpoint is kept in memory. */
const DEMANDED_REMEMBERED_MAX = 10_000
/** Limits of the last observations kept in memory, for feeds on demand: their number, and the bytes of their payloads. */
const OBSERVATIONS_MAX = 5_000
const OBSERVATIONS_BYTES_MAX = 16 * 1024 * 1024

/** An observation with its full payload, even if the log holds a patch or a confirmation instead. */
export type Observation = EventOf<typeof feedObserved>

/** The outcome of a poll that was committed or is unlogged, with its observation if it succeeded. */
export interface PollResult {
  readonly outcome: PollReport["outcome"]
  readonly observation: Observation | null
}

/** Admits a source to a poll: null, or the failure that is its outcome. */
export type AdmitCandidate = (candidate: Candidate) => Failure | null

/** Polls instances, each at most once at a time, and commits the outcomes. */
export interface Poller {
  /**
   * Joins the running poll of an instance, or starts one. Interrupting a caller does not interrupt the poll. Null if the
   * outcome could not be committed. With `begin` it is a fetch on request; without, a scheduled poll. A fetch of an unlogged
   * instance shares no poll but its own kind, commits nothing, and changes no state of the instance.
   */
  readonly poll: (instance: Instance, begin?: AdmitCandidate) => Effect.Effect<PollResult | null, IngestStopped>
  /** The checkpoint of a scheduled instance after its last committed poll. */
  readonly checkpoint: (key: string) => InstanceCheckpoint | undefined
  /** The last observation of an instance of a feed on demand, while it is in memory. */
  readonly lastObservation: (key: string) => Observation | undefined
  readonly isUnderWay: (instance: Instance) => boolean
  readonly underWay: () => number
}

export interface PollerOptions {
  readonly plan: Plan
  readonly restored: Restored
  readonly context: CollectDependencies
  readonly simulated: boolean
  readonly committer: Committer
  readonly admission: Admission
  readonly budgets: Budgets
  readonly random: () => number
  /** Completed with the failure of a commit that ends the role. */
  readonly stopped: Deferred.Deferred<never, IngestStopped>
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

const flightOf = ({ key, unlogged }: Instance): string => (unlogged ? `unlogged/${key}` : key)

/** Makes the poller. Running polls are interrupted when the scope closes. */
export const makePoller = Effect.fnUntraced(function* (
  options: PollerOptions,
): Effect.fn.Return<Poller, never, Scope.Scope> {
  const { plan, restored, committer, admission, budgets, random, stopped } = options
  const scope = yield* Effect.scope
  const scheduledKeys = new Set(plan.scheduled.map(({ key }) => key))
  const scheduledStates = new Map([...restored.instances].filter(([key]) => scheduledKeys.has(key)))
  const demandedStates = new LRUCache<string, InstanceCheckpoint>({ max: DEMANDED_REMEMBERED_MAX })
  const observations = new LRUCache<string, Observation>({
    max: OBSERVATIONS_MAX,
    maxSize: OBSERVATIONS_BYTES_MAX,
  })
  const bases = new Map<string, PatchBase>()
  /** By the key of the instance. Unlogged fetches are apart: a scheduled poll that joined one would not be committed. */
  const underWay = new Map<string, Deferred.Deferred<PollResult | null, IngestStopped>>()
  const inQuarantine = makeQuarantineFilter()
  const announcementLines = makeAnnouncementLines()

  const pollOnce = Effect.fnUntraced(function* (
    instance: Instance,
    begin: AdmitCandidate | undefined,
  ): Effect.fn.Return<PollResult | null, IngestStopped> {
    const scheduled = scheduledKeys.has(instance.key)
    const states = scheduled ? scheduledStates : demandedStates
    const before = states.get(instance.key) ?? null
    const beganMs = yield* Clock.currentTimeMillis
    const polled = yield* poll(
      options,
      instance,
      before,
      begin !== undefined,
      begin ?? ((candidate) => admission.begin(candidate, false, beganMs)),
    )
    const { provider } = polled.outcome.candidate
    const recorded = yield* committer.commit((timeMs) => {
      const made = recordPoll(instance, before, polled, {
        timeMs,
        beganMs,
        random: random(),
        newId: uuidv7,
        scheduled,
        simulated: options.simulated,
        quarantine: (undecoded) => inQuarantine(instance.key, undecoded, timeMs),
        base: scheduled ? (bases.get(instance.key) ?? null) : null,
      })
      // Budgets are saved with the next commit, whichever poll changed them.
      const unsaved = budgets.unsaved()
      const records = unsaved.map(([name, checkpoint]) => budgetRecord(name, checkpoint))
      return { ...made, records: [...made.records, ...records], unsaved }
    })
    if (recorded === null) {
      lostPolls.inc({ provider })
      return null
    }
    budgets.saved(recorded.unsaved)
    states.set(instance.key, recorded.checkpoint)
    if (instance.onDemand && recorded.observation !== null && polled.outcome._tag === "Success")
      observations.set(instance.key, recorded.observation, { size: Math.max(1, polled.outcome.payloadBytes) })
    if (recorded.base === null) bases.delete(instance.key)
    else bases.set(instance.key, recorded.base)
    countPoll(polled, recorded.outcome)
    yield* logOutcome(instance, before !== null && before.failures > 0, polled)
    yield* logThrottle(instance, before, recorded.checkpoint)
    for (const line of announcementLines(recorded.checkpoint.announced, before?.announced ?? [], beganMs))
      yield* Effect.logWarning(line)
    return { outcome: polled.outcome, observation: recorded.observation }
  })

  const pollUnlogged = (instance: Instance, begin: AdmitCandidate | undefined): Effect.Effect<PollResult | null> =>
    Clock.currentTimeMillis.pipe(
      Effect.flatMap((nowMs) =>
        fetchUnlogged(options, instance, begin ?? ((candidate) => admission.begin(candidate, true, nowMs))),
      ),
      Effect.map(({ polled, observation, outcome }) => {
        countPoll(polled, outcome)
        return { outcome: polled.outcome, observation }
      }),
      // A defect can hold what was asked: it ends the fetch alone, and is not logged.
      Effect.catchDefect(() => Effect.succeed(null)),
    )

  return {
    poll: (instance, begin) =>
      Effect.suspend(() => {
        const flight = flightOf(instance)
        const running = underWay.get(flight)
        if (running !== undefined) return Deferred.await(running)
        const result = Deferred.makeUnsafe<PollResult | null, IngestStopped>()
        underWay.set(flight, result)
        const polled = instance.unlogged ? pollUnlogged(instance, begin) : pollOnce(instance, begin)
        return polled.pipe(
          Effect.onExit((exit) => {
            underWay.delete(flight)
            const ended =
              Exit.isFailure(exit) && !Cause.hasInterruptsOnly(exit.cause)
                ? Deferred.failCause(stopped, exit.cause)
                : Effect.void
            return Effect.andThen(ended, Deferred.done(result, exit))
          }),
          Effect.forkIn(scope),
          Effect.andThen(Deferred.await(result)),
        )
      }),
    checkpoint: (key) => scheduledStates.get(key),
    lastObservation: (key) => observations.get(key),
    isUnderWay: (instance) => underWay.has(flightOf(instance)),
    underWay: () => underWay.size,
  }
})
