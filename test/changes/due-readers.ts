import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import { type Change, cursorText, parseCursor } from "../../schemas/change.ts"
import type { AdapterSpec } from "../conformance/log/harness.ts"
import { type ChangesSink, doors, readChanges } from "../support/changes-readers.ts"
import { eventually } from "../support/eventually.ts"
import { spawnScript } from "../support/script-process.ts"
import { LOG_NAME } from "./numbered-changes.ts"
import type { Chance } from "./simulation/chance.ts"

// Readers of numbered changes on every door, to whom each change is due that their filter chooses, once and in order.

/** Which changes a reader wants, and the parameters of the filter that chooses them. */
interface Wish {
  readonly query: Readonly<Record<string, string>>
  readonly wants: (ordinal: number) => boolean
}
const wishes: ReadonlyArray<Wish> = [
  { query: {}, wants: () => true },
  // Magnitudes of the workload are from 0.0 to 5.9, by the number.
  { query: { min_magnitude: "5" }, wants: (ordinal) => ordinal % 60 >= 50 },
]
const kinds = doors.flatMap((door) => wishes.map((wish) => ({ door, ...wish })))

/** The place of a reader, and what is due behind it. */
class DueChanges implements ChangesSink {
  readonly #wants: (ordinal: number) => boolean
  #end = Number.POSITIVE_INFINITY
  /** Everything up to this number was got, or passed by. */
  at = 0

  constructor(wants: (ordinal: number) => boolean) {
    this.#wants = wants
  }

  cursor(): string | null {
    return this.at === 0 ? null : cursorText({ log: LOG_NAME, ordinal: this.at })
  }

  receive({ cursor }: Change): void {
    let due = this.at + 1
    while (!this.#wants(due)) due += 1
    if (this.#ordinalOf(cursor) !== due) throw new Error(`got ${cursor} behind ${this.at}; due was ${due}`)
    this.at = due
  }

  moveTo(cursor: string): void {
    const ordinal = this.#ordinalOf(cursor)
    for (let passed = this.at + 1; passed <= ordinal; passed += 1)
      if (this.#wants(passed)) throw new Error(`moved from ${this.at} to ${cursor}, past ${passed}`)
    if (!(ordinal >= this.at)) throw new Error(`moved back from ${this.at} to ${cursor}`)
    this.at = ordinal
  }

  /** Ends it behind the last change that it wants up to a number. */
  endAt(last: number): void {
    this.#end = last
    while (!this.#wants(this.#end)) this.#end -= 1
  }

  hasEnded(): boolean {
    return this.at >= this.#end
  }

  #ordinalOf(text: string): number {
    const cursor = parseCursor(text)
    return cursor?.log === LOG_NAME ? cursor.ordinal : Number.NaN
  }
}

/** Such readers, at work. */
export interface DueReaders {
  /** Up to this number, each has got every change that it wants. */
  readonly at: () => number
  /** Waits until each has got every change up to this last one, and ended. Rejects with what one got that was not due. */
  readonly end: (last: number) => Promise<void>
  /** Waits until each has got every change up to this number. Rejects as `end` does. */
  readonly reach: (ordinal: number) => Promise<void>
}

/** A connection is cut before this, which is longer than a read takes on a busy machine: a caller that gives up sooner gets nothing. */
const CUT_MAX_MS = 3_000

/** Starts readers on every door, with and without a filter, whose connections are cut at random moments. */
export const startDueReaders = (url: string, chance: Chance): DueReaders => {
  const sinks = kinds.map(({ wants }) => new DueChanges(wants))
  const ended = Promise.all(
    sinks.map((sink, index) => {
      const { door, query } = kinds[index] as (typeof kinds)[number]
      return readChanges({ url, door, query, sink, chance, cutMaxMs: CUT_MAX_MS, pauseMs: 10 })
    }),
  )
  ended.catch(() => undefined)
  const at = () => Math.min(...sinks.map((sink) => sink.at))
  return {
    at,
    end: async (last) => {
      for (const sink of sinks) sink.endAt(last)
      await ended
    },
    reach: async (ordinal) => {
      const all = eventually(`every reader is at ${ordinal}`, () => at() >= ordinal).catch((cause) => {
        const places = sinks.map(
          (sink, index) => `${kinds[index]?.door} ${JSON.stringify(kinds[index]?.query)}: ${sink.at}`,
        )
        throw new Error(`the readers are at ${places.join(", ")}`, { cause })
      })
      await Promise.race([ended, all])
    },
  }
}

/** Starts a process with the doors over a log, to be killed and started again on the same port. */
export const startChangesApi = (
  spec: AdapterSpec,
  port: number,
): Effect.Effect<{ readonly kill: Effect.Effect<void> }, never, Scope.Scope> =>
  Effect.gen(function* () {
    let isListening = false
    const child = yield* spawnScript(new URL("changes-api.ts", import.meta.url), { log: spec, port }, (line) => {
      isListening ||= line === "listening"
    })
    yield* Effect.promise(() => eventually("the doors are open", () => isListening))
    return {
      kill: Effect.promise(async () => {
        child.signal("SIGKILL")
        await eventually("the process has ended", () => child.hasEnded())
      }),
    }
  })
