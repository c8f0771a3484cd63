import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as References from "effect/References"
import { type Processor, processor, type Step } from "../../processors/processor.ts"
import { makeRefold } from "../../processors/run/refold.ts"
import { runProcessor } from "../../processors/run/runner.ts"
import { readValues } from "../../processors/run/stored-values.ts"
import { BODY_MAX_UNITS } from "../../processors/view/build-view.ts"
import type { DataOf } from "../../schemas/event.ts"
import { feedObserved } from "../../schemas/events/observations.ts"
import type { Json } from "../../schemas/json.ts"
import type { EventLog } from "../../schemas/ports/event-log.ts"
import { eventReader } from "../../schemas/registry.ts"

/** Payloads with an effect other than to change the item of that number. */
export const REMOVE = -1
export const SHORTEN = -2
export const FILL = -3

const ITEMS = 400
const item = (number: number, at: string) => ({ number, at, words: `the words of item ${number}, `.repeat(5) })

/** A processor with a large state and a large view: every observation changes one of their 400 items. */
export const bulky: Processor = processor({
  name: "bulky",
  step: (state, event): Step => {
    if (event.type !== feedObserved.type) return {}
    const number = Number((event.data as DataOf<typeof feedObserved>).payload)
    const show = (data: Json | null) => ({
      key: "/bulky",
      body: data === null ? null : { v: 2 as const, changedAt: event.time, data },
    })
    if (number === REMOVE) return { state: [["items", null]], views: [show(null)] }
    if (number === SHORTEN) return { state: [["items", []]], views: [show([])] }
    // Three bytes for each character in UTF-8: the largest record that a view can make.
    if (number === FILL) return { views: [show("\u20ac".repeat(BODY_MAX_UNITS - 2))] }
    const before = (state.get("items") ?? []) as ReadonlyArray<Json>
    const full = before.length === ITEMS ? before : Array.from({ length: ITEMS }, (_, index) => item(index, ""))
    const items = full.with(number % ITEMS, item(number, event.time))
    return { state: [["items", items]], views: [show([...items].reverse())] }
  },
})

/** Runs a processor until it has folded what the log holds. */
export const foldThrough = (log: EventLog, one: Processor) =>
  Effect.scoped(
    Effect.gen(function* () {
      const reached = Promise.withResolvers<void>()
      const running = yield* Effect.forkScoped(
        runProcessor({ log, processor: one, ready: Effect.sync(reached.resolve) }),
      )
      yield* Effect.raceFirst(
        Fiber.join(running),
        Effect.promise(() => reached.promise),
      )
    }),
  ).pipe(Effect.provideService(References.MinimumLogLevel, "None"))

const decoder = new TextDecoder()

/** The values that a log holds, as texts, without the positions of folds. */
export const storedTexts = (log: EventLog) =>
  Effect.gen(function* () {
    const [views, checkpoints] = [yield* readValues(log, "views"), yield* readValues(log, "checkpoints")]
    expectWhole(views.damaged)
    expectWhole(checkpoints.damaged)
    return Object.fromEntries(
      [...views.values, ...checkpoints.values]
        .filter(([key]) => !/\/(position|\d+\/#sealed)$/.test(key))
        .map(([key, value]) => [key, decoder.decode(value)])
        .sort(),
    )
  })

const expectWhole = (damaged: ReadonlySet<string>): void => {
  if (damaged.size > 0) throw new Error(`damaged: ${[...damaged].join(", ")}`)
}

/** The values that a fold of the whole log makes in memory. */
export const foldedTexts = (log: EventLog, one: Processor) =>
  Effect.gen(function* () {
    const refold = makeRefold(log, one, eventReader, 1, 0)
    yield* refold.foldTo(Number.MAX_SAFE_INTEGER)
    const state = [...refold.folding.state].map(([key, value]) => [`${one.name}/1/${key}`, JSON.stringify(value)])
    return Object.fromEntries(
      [...[...refold.views].map(([key, value]) => [key, decoder.decode(value)]), ...state].sort(),
    )
  })
