import { Cause, Clock, Deferred, Effect, Exit, type Scope } from "effect"
import { LRUCache } from "lru-cache"
import { v7 as uuidv7 } from "uuid"
import type { EventOf } from "../schemas/event.ts"
import type { feedObserved } from "../schemas/events/observations.ts"
import type { Budgets } from "./budget.ts"
import { budgetRecord, type InstanceCheckpoint, type Restored } from "./checkpoint.ts"
import type { CollectContext } from "./collect.ts"
import type { Committer, IngestStopped } from "./committer.ts"
import { lostPolls, payloadBytes, pollDurations, polls, quarantined, unreadableRows } from "./metrics.ts"
import type { Candidate, Instance, Plan } from "./plan.ts"
import { type Failure, type Polled, poll } from "./poll.ts"
import { makeQuarantineFilter } from "./quarantine.ts"
import { type PatchBase, settle } from "./settle.ts"

/** Instances fetched on request whose last hash is remembered. */
const DEMANDED_REMEMBERED_MAX = 10_000
/** Last observations that are remembered of feeds that can be fetched on request: their number, and bytes of payloads. */
const OBSERVATIONS_MAX = 5_000
const OBSERVATIONS_BYTES_MAX = 16 * 1024 * 1024

/** An observation with its payload, as the log holds it where the payload was new. */
export type Observation = EventOf<typeof feedObserved>

/** What a committed poll came to. */
export interface PollResult {
  readonly outcome: Polled["outcome"]
  readonly observation: Observation | null
}

/** Says before each source whether it may be asked; a failure it returns stands for an answer. */
export type Permitted = (candidate: Candidate) => Failure | null

/** Polls instances, each at most once at a time, and commits what comes of it. */
export interface Poller {
  /**
   * The poll of an instance that is under way, or a new one. It belongs to the role, not to whoever waits for it. Null
   * where the log could not take the outcome.
   */
  readonly poll: (instance: Instance, permitted?: Permitted) => Effect.Effect<PollResult | null, IngestStopped>
  /** How a scheduled instance stands since its last committed poll. */
  readonly checkpoint: (key: string) => InstanceCheckpoint | undefined
  /** The last observation of an instance of a feed that can be fetched on request, where it is remembered. */
  readonly lastObservation: (key: string) => Observation | undefined
  readonly isUnderWay: (key: string) => boolean
  readonly underWay: () => number
}

export interface PollerOptions {
  readonly plan: Plan
  readonly restored: Restored
  readonly context: CollectContext
  readonly committer: Committer
  readonly budgets: Budgets
  readonly random: () => number
  /** Completed with the failure of a commit that ends the role. */
  readonly stopped: Deferred.Deferred<never, IngestStopped>
}

const countPoll = ({ outcome, latencyMs, undecoded, unreadableRows: rows }: Polled, name: string): void => {
  const { provider } = outcome.candidate
  polls.inc({ provider, outcome: name })
  pollDurations.observe({ provider }, latencyMs / 1000)
  if (outcome._tag === "Success") payloadBytes.observe({ provider }, outcome.payloadBytes)
  for (const one of undecoded) quarantined.inc({ provider: one.provider })
  if (rows > 0) unreadableRows.inc({ provider }, rows)
}

/** A feed that fails says so once, and once when it is well again. */
const tell = (instance: Instance, failedBefore: boolean, { outcome }: Polled): Effect.Effect<void> => {
  if (outcome._tag !== "Failure") return failedBefore ? Effect.logInfo(`${instance.key} is well again`) : Effect.void
  const message = `${instance.key} fails: ${outcome.message}`
  return (failedBefore ? Effect.logDebug(message) : Effect.logWarning(message)).pipe(
    Effect.annotateLogs({ provider: outcome.candidate.provider }),
  )
}

/** Makes the poller. Polls that are under way end with the scope. */
export const makePoller = (options: PollerOptions): Effect.Effect<Poller, never, Scope.Scope> =>
  Effect.gen(function* () {
    const { plan, restored, context, committer, budgets, random, stopped } = options
    const scope = yield* Effect.scope
    const scheduledKeys = new Set(plan.scheduled.map(({ key }) => key))
    const scheduledStates = new Map([...restored.instances].filter(([key]) => scheduledKeys.has(key)))
    const demandedStates = new LRUCache<string, InstanceCheckpoint>({ max: DEMANDED_REMEMBERED_MAX })
    const observations = new LRUCache<string, Observation>({
      max: OBSERVATIONS_MAX,
      maxSize: OBSERVATIONS_BYTES_MAX,
    })
    const bases = new Map<string, PatchBase>()
    const underWay = new Map<string, Deferred.Deferred<PollResult | null, IngestStopped>>()
    const inQuarantine = makeQuarantineFilter()

    const pollOnce = (
      instance: Instance,
      permitted: Permitted | undefined,
    ): Effect.Effect<PollResult | null, IngestStopped> =>
      Effect.gen(function* () {
        const scheduled = scheduledKeys.has(instance.key)
        const states = scheduled ? scheduledStates : demandedStates
        const before = states.get(instance.key) ?? null
        const beganMs = yield* Clock.currentTimeMillis
        const polled = yield* poll(context, instance, before, permitted)
        const { source, provider } = polled.outcome.candidate
        const settled = yield* committer.commit((timeMs) => {
          const made = settle(instance, before, polled, {
            timeMs,
            beganMs,
            random: random(),
            newId: uuidv7,
            scheduled,
            quarantine: (undecoded) => inQuarantine(instance.key, undecoded, timeMs),
            base: scheduled ? (bases.get(instance.key) ?? null) : null,
          })
          const spent = instance.onDemand ? budgets.spent(source) : null
          return spent === null ? made : { ...made, records: [...made.records, budgetRecord(source.name, spent)] }
        })
        if (settled === null) {
          lostPolls.inc({ provider })
          return null
        }
        states.set(instance.key, settled.checkpoint)
        if (instance.onDemand && settled.observation !== null && polled.outcome._tag === "Success")
          observations.set(instance.key, settled.observation, { size: Math.max(1, polled.outcome.payloadBytes) })
        if (settled.base === null) bases.delete(instance.key)
        else bases.set(instance.key, settled.base)
        countPoll(polled, settled.outcome)
        yield* tell(instance, before !== null && before.failures > 0, polled)
        return { outcome: polled.outcome, observation: settled.observation }
      })

    return {
      poll: (instance, permitted) =>
        Effect.suspend(() => {
          const running = underWay.get(instance.key)
          if (running !== undefined) return Deferred.await(running)
          const result = Deferred.makeUnsafe<PollResult | null, IngestStopped>()
          underWay.set(instance.key, result)
          return pollOnce(instance, permitted).pipe(
            Effect.onExit((exit) => {
              underWay.delete(instance.key)
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
      isUnderWay: (key) => underWay.has(key),
      underWay: () => underWay.size,
    }
  })
