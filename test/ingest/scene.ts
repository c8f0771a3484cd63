import * as Effect from "effect/Effect"
import { TestClock } from "effect/testing"
import type { IngestOptions } from "../../ingestors/poll/runner.ts"
import type { Envelope } from "../../schemas/event.ts"
import { type MemoryLog, makeMemoryLog } from "../support/memory-log.ts"
import { makeScriptedHttp, thingSource } from "./scripted.ts"

/** The time at which scenes begin, on their virtual clock. */
export const START = "2026-11-21T10:00:00.000Z"

/** A scene on a virtual clock: an empty log, an upstream that answers 1, one source, and what starts the role with them. */
export const scene = (rest: Partial<IngestOptions> = {}) =>
  Effect.gen(function* () {
    yield* TestClock.setTime(Date.parse(START))
    const memory = makeMemoryLog()
    const scripted = makeScriptedHttp(() => ({ json: { value: 1 } }))
    const options: IngestOptions = {
      log: memory.log,
      http: scripted.http,
      sources: [thingSource("alpha")],
      keys: () => null,
      random: () => 0.5,
      ...rest,
    }
    return { memory, scripted, options }
  })

/** The data of a poll's event, as far as tests read it. */
export type PollEventData = Record<string, unknown> & {
  readonly feed: string
  readonly hash?: string
  readonly reason?: string
}
/** The events of polls in the log, without ticks and declarations. */
export const pollEvents = (memory: MemoryLog): ReadonlyArray<Envelope<string, unknown>> =>
  memory.events("observations").filter(({ type }) => type.startsWith("feed."))
/** The types of the events of polls. */
export const pollEventTypes = (memory: MemoryLog): ReadonlyArray<string> => pollEvents(memory).map(({ type }) => type)
/** The data of the last event of a poll; throws where there is none. */
export const lastPollEvent = (memory: MemoryLog): Envelope<string, PollEventData> => {
  const event = pollEvents(memory).at(-1)
  if (event === undefined) throw new Error("no poll was logged")
  return event as Envelope<string, PollEventData>
}
