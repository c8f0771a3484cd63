import { Effect } from "effect"
import { TestClock } from "effect/testing"
import type { IngestOptions } from "../../ingestors/runner.ts"
import type { Envelope } from "../../schemas/event.ts"
import { type MemoryLog, makeMemoryLog } from "../support/memory-log.ts"
import { makeScriptedHttp, thingSource } from "./scripted.ts"

/** When scenes begin. */
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

/** Data of such an event, as far as tests look at it. */
export type Data = Record<string, unknown> & { readonly feed: string; readonly hash?: string; readonly reason?: string }
/** The events about polls. */
export const told = (memory: MemoryLog): ReadonlyArray<Envelope<string, unknown>> =>
  memory.events("observations").filter(({ type }) => type.startsWith("feed."))
/** Their types. */
export const types = (memory: MemoryLog): ReadonlyArray<string> => told(memory).map(({ type }) => type)
/** The last of them; throws where there is none. */
export const last = (memory: MemoryLog): Envelope<string, Data> => {
  const event = told(memory).at(-1)
  if (event === undefined) throw new Error("nothing was told")
  return event as Envelope<string, Data>
}
