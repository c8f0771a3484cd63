import { randomUUID } from "node:crypto"
import * as Effect from "effect/Effect"
import { INGEST_WRITER } from "../../ingestors/poll/ingest-log.ts"
import { type Instance, type KeyLookup, makePlan } from "../../ingestors/poll/plan.ts"
import { type PollReport, readCollected } from "../../ingestors/poll/poll.ts"
import { recordPoll } from "../../ingestors/poll/record.ts"
import type { Source } from "../../ingestors/source.ts"
import { type EventType, encodeEvent, instant, makeEvent } from "../../schemas/event.ts"
import { clockTicked, feedsDeclared } from "../../schemas/events/observations.ts"
import type { EventLog, LogRecord } from "../../schemas/ports/event-log.ts"
import { upstreamOf } from "../feeds/support/world.ts"
import { simulatedUpstreams } from "./server.ts"
import { unitedUpstreams } from "./upstream.ts"
import { worldAt } from "./world.ts"

const HOUR_MS = 3_600_000
const HOURS = 24
/** The clock ticks in every quarter of an hour. */
const TICKS_MS = [15, 30, 45].map((minutes) => minutes * 60_000)
/** Instances with a longer interval than this are left out: they change little within a day. */
const EVERY_MAX_MS = 300_000
/** Larger lists would take most of the time: those of a week and a month say the same as those of a day, and older. */
const PAYLOAD_MAX_BYTES = 64 * 1024

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
) =>
  Effect.scoped(
    Effect.gen(function* () {
      const writer = yield* log.claim(INGEST_WRITER, ["observations"])
      const plan = makePlan(sources, keys, null)
      let polled = plan.scheduled.filter(({ everyMs }) => everyMs <= EVERY_MAX_MS)
      yield* writer.commit([said(feedsDeclared, { feeds: plan.declared }, nowMs - HOURS * HOUR_MS)])
      for (let hour = HOURS; hour > 0; hour--) {
        const timeMs = nowMs - hour * HOUR_MS
        const outcomes = yield* Effect.promise(() =>
          Promise.all(polled.map(async (instance) => ({ instance, outcome: await pollWorld(instance, seed, timeMs) }))),
        )
        const kept = outcomes.filter(
          ({ outcome }) => outcome._tag === "Success" && outcome.payloadBytes <= PAYLOAD_MAX_BYTES,
        )
        yield* writer.commit([
          ...kept.flatMap(({ instance, outcome }) => recordsOf(instance, outcome, timeMs)),
          // What is not polled again grows stale meanwhile.
          ...TICKS_MS.map((laterMs) => said(clockTicked, {}, timeMs + laterMs)),
        ])
        polled = kept.map(({ instance }) => instance)
      }
    }),
  )
