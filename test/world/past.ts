import { randomUUID } from "node:crypto"
import * as Effect from "effect/Effect"
import { INGEST_WRITER } from "../../ingestors/poll/ingest-log.ts"
import { type Instance, type KeyLookup, makePlan } from "../../ingestors/poll/plan.ts"
import { type PollReport, readCollected } from "../../ingestors/poll/poll.ts"
import { recordPoll } from "../../ingestors/poll/record.ts"
import type { Source } from "../../ingestors/source.ts"
import { type EventType, encodeEvent, instant, makeEvent } from "../../schemas/event.ts"
import { clockTicked, feedsDeclared } from "../../schemas/events/observations.ts"
import { instanceKey } from "../../schemas/feed.ts"
import type { EventLog, LogRecord } from "../../schemas/ports/event-log.ts"
import { upstreamOf } from "../feeds/support/world.ts"
import { simulatedUpstreams } from "./server.ts"
import { unitedUpstreams } from "./upstream.ts"
import { worldAt } from "./world.ts"

const HOUR_MS = 3_600_000
const HOURS = 24
/** After the polls of an hour in which everything was polled the clock ticks, and the feeds are judged. */
const TICK_AFTER_MS = 15_000
/** Instances with a longer interval than this are left out: they change little within a day. */
const EVERY_MAX_MS = 300_000
/** Larger lists are left out: those of a week and a month say the same as those of a day, and older. */
const PAYLOAD_MAX_BYTES = 64 * 1024
/** Lists above this size, and feeds of more instances, would take most of the time: of them every eighth hour is written. */
const HOURLY_MAX_BYTES = 4 * 1024
const HOURLY_MAX_INSTANCES = 15
const LARGE_EVERY_HOURS = 8

const everyone = unitedUpstreams(simulatedUpstreams)

/** What a poll of an instance brings at an instant of the world of a seed, without a network. */
export const pollWorld = async (instance: Instance, seed: string, nowMs: number): Promise<PollReport["outcome"]> => {
  const [candidate] = instance.candidates
  const upstream = upstreamOf(everyone, worldAt(seed, nowMs))
  const collected = await Effect.runPromise(
    candidate.source.collect(upstream, { parameters: instance.parameters, key: candidate.key, observedAtMs: nowMs }),
  )
  const { outcome } = readCollected(instance, candidate, collected, nowMs)
  return outcome._tag === "Success" ? { ...outcome, validators: null } : outcome
}

/** The size of what a poll brought; beyond every bound where it brought nothing. */
const payloadBytesOf = (outcome: PollReport["outcome"]): number =>
  outcome._tag === "Success" ? outcome.payloadBytes : Number.POSITIVE_INFINITY

const LATENCY_MS = 120

/** The records of a poll, of an instance that was not polled before as far as they say. */
const recordsOf = (instance: Instance, outcome: PollReport["outcome"], timeMs: number): ReadonlyArray<LogRecord> =>
  recordPoll(
    instance,
    null,
    { outcome, isAsked: true, latencyMs: LATENCY_MS, undecoded: [], unreadableRows: 0, announced: [] },
    {
      timeMs,
      beganMs: timeMs - LATENCY_MS,
      random: 0.5,
      newId: randomUUID,
      scheduled: true,
      simulated: true,
      quarantine: () => false,
    },
  ).records.filter(({ topic }) => topic === "observations")

/** A record of what the ingest role itself says. */
const said = <Data>(type: EventType<string, Data>, data: Data, timeMs: number): LogRecord => {
  const event = makeEvent(type, { id: randomUUID(), source: "ingest", subject: "ingest", time: instant(timeMs), data })
  return { topic: "observations", key: "ingest", value: encodeEvent(event) }
}

/**
 * Writes the day before an instant into a log without events, hour by hour: what an ingest role would have observed in the world of a
 * seed, of what changes often. It leaves no checkpoint, so that the role which follows polls everything anew.
 */
export const writePast = (
  log: EventLog,
  {
    seed,
    sources,
    keys,
    nowMs,
  }: {
    readonly seed: string
    readonly sources: ReadonlyArray<Source>
    readonly keys: KeyLookup
    readonly nowMs: number
  },
) => {
  const observe = async (instances: ReadonlyArray<Instance>, timeMs: number) => {
    const outcomes = await Promise.all(
      instances.map(async (instance) => ({ instance, outcome: await pollWorld(instance, seed, timeMs) })),
    )
    return outcomes.filter(({ outcome }) => payloadBytesOf(outcome) <= PAYLOAD_MAX_BYTES)
  }
  return Effect.scoped(
    Effect.gen(function* () {
      const writer = yield* log.claim(INGEST_WRITER, ["observations"])
      const plan = makePlan(sources, keys, null)
      const often = plan.scheduled.filter(({ everyMs }) => everyMs <= EVERY_MAX_MS)
      const firstMs = nowMs - HOURS * HOUR_MS
      const first = yield* Effect.promise(() => observe(often, firstMs))
      const known = first.map(({ instance }) => instance)
      const byFeed = Map.groupBy(known, ({ feed }) => feed)
      const hourly = first.flatMap(({ instance, outcome }) =>
        payloadBytesOf(outcome) <= HOURLY_MAX_BYTES && (byFeed.get(instance.feed)?.length ?? 0) <= HOURLY_MAX_INSTANCES
          ? [instance]
          : [],
      )
      const knownKeys = new Set(known.map(({ key }) => key))
      const declared = plan.declared.filter(({ feed, parameters }) => knownKeys.has(instanceKey(feed, parameters)))
      yield* writer.commit([said(feedsDeclared, { feeds: declared }, firstMs)])
      for (let hour = HOURS; hour > 0; hour--) {
        const timeMs = nowMs - hour * HOUR_MS
        const isWhole = (hour - 1) % LARGE_EVERY_HOURS === 0
        const observed = hour === HOURS ? first : yield* Effect.promise(() => observe(isWhole ? known : hourly, timeMs))
        yield* writer.commit([
          ...observed.flatMap(({ instance, outcome }) => recordsOf(instance, outcome, timeMs)),
          ...(isWhole || hour === HOURS ? [said(clockTicked, {}, timeMs + TICK_AFTER_MS)] : []),
        ])
      }
    }),
  )
}
