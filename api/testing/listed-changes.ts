import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Stream from "effect/Stream"
import { onTestFinished } from "vitest"
import { type Change, type Cursor, cursorText } from "../../schemas/change.ts"
import { changesEndpoint, streamEndpoint } from "../../schemas/endpoints/changes.ts"
import { cryptoMoversEndpoint } from "../../schemas/endpoints/crypto-movers.ts"
import { healthEndpoint } from "../../schemas/endpoints/health.ts"
import { climateEarthquakesEndpoint } from "../../schemas/feeds/earthquakes.ts"
import { fearGreedEndpoint } from "../../schemas/feeds/fear-greed.ts"
import { type ChangeLog, type ChangePortion, ChangesGone } from "../../schemas/ports/changes.ts"
import { LogUnavailable } from "../../schemas/ports/event-log.ts"
import { changingFeeds, makeReady } from "../changes/filter.ts"
import { followChanges } from "../changes/follower.ts"
import { ChangeWindow } from "../changes/window.ts"
import type { ApiOptions } from "../routes/route.ts"
import { type ApiUnderTest, apiUnderTest } from "./api-under-test.ts"

/** What a change of a test says; the rest is filled in. */
export type Listed = Partial<Pick<Change, "type" | "feed" | "endpoint" | "key" | "item" | "before">> | null

/** A log of changes over a list: null is one that is not shown. It can lose its beginning, and fail. */
export class ListedChanges {
  name = "k7f2qdxa"
  oldest = 1
  isFailing = false
  /** How often it was read. */
  reads = 0
  readonly #all: Array<Change | null> = []
  readonly #waiting = new Set<() => void>()

  cursor(ordinal: number): string {
    return cursorText({ log: this.name, ordinal })
  }

  get last(): number {
    return this.#all.length
  }

  /** Adds changes in one commit. */
  add(...listed: ReadonlyArray<Listed>): void {
    for (const one of listed) {
      const ordinal = this.#all.length + 1
      this.#all.push(
        one === null
          ? null
          : {
              cursor: this.cursor(ordinal),
              type: "appeared",
              feed: "earthquakes",
              endpoint: "climate/earthquakes",
              parameters: {},
              key: `quake ${ordinal}`,
              item: { magnitude: 5 },
              happened_at: null,
              known_at: "2026-08-17T20:35:00.000Z",
              source: "USGS",
              ...one,
            },
      )
    }
    const woken = [...this.#waiting]
    this.#waiting.clear()
    for (const wake of woken) wake()
  }

  /** The change of a number; null where it is not shown. */
  at(ordinal: number): Change | null {
    return this.#all[ordinal - 1] ?? null
  }

  /** The numbers that are shown, in order. */
  get shown(): ReadonlyArray<number> {
    return this.#all.flatMap((one, at) => (one === null ? [] : [at + 1]))
  }

  #portion(after: number, max: number): ChangePortion {
    const reached = Math.min(after + max, this.last)
    const changes = this.#all
      .slice(after, reached)
      .flatMap((change, at) => (change === null ? [] : [{ ordinal: after + at + 1, change }]))
    return { log: this.last === 0 ? null : this.name, after, reached: Math.max(after, reached), changes }
  }

  readonly #checked = Effect.suspend(() =>
    this.isFailing ? Effect.fail(new LogUnavailable({ problem: "made so by a test", cause: null })) : Effect.void,
  )

  get #cursor(): Cursor | null {
    return this.last === 0 ? null : { log: this.name, ordinal: this.last }
  }

  readonly #grown = (after: number): Effect.Effect<ChangePortion> =>
    Effect.callback((resume) => {
      const look = () => {
        if (this.last <= after) this.#waiting.add(look)
        else resume(Effect.succeed(this.#portion(after, this.last)))
      }
      look()
      return Effect.sync(() => this.#waiting.delete(look))
    })

  readonly log: ChangeLog = {
    last: Effect.andThen(
      this.#checked,
      Effect.sync(() => this.#cursor),
    ),
    bounds: Effect.andThen(
      this.#checked,
      Effect.sync(() => (this.last === 0 ? null : { log: this.name, oldest: this.oldest, last: this.last })),
    ),
    read: ({ ordinal: after }, max) =>
      Effect.andThen(
        this.#checked,
        Effect.suspend(() => {
          this.reads += 1
          return after < this.oldest - 1
            ? Effect.fail(new ChangesGone({ after, oldest: this.oldest }))
            : Effect.succeed(this.#portion(after, max))
        }),
      ),
    follow: (place) =>
      Stream.unfold(place?.ordinal ?? 0, (at) =>
        Effect.map(this.#grown(at), (portion) => [portion, portion.reached] as const),
      ),
  }
}

/** A contract of the doors, and of feeds whose items have a magnitude and a place, a symbol, or neither. */
const contract = [
  climateEarthquakesEndpoint,
  cryptoMoversEndpoint,
  fearGreedEndpoint,
  changesEndpoint,
  streamEndpoint,
  healthEndpoint,
]

/** Bounds of the window of a test, unless it says otherwise. */
const BOUNDS = { changesMax: 1_000, bytesMax: 10_000_000 }

/** An API over listed changes, whose window follows them until the test ends. */
export const apiWithChanges = async (
  changes: ListedChanges,
  { bounds = BOUNDS, ...options }: Partial<ApiOptions> & { readonly bounds?: typeof BOUNDS } = {},
): Promise<ApiUnderTest & { readonly port: number; readonly window: ChangeWindow }> => {
  const window = new ChangeWindow(makeReady(changingFeeds(contract)), bounds)
  const api = await apiUnderTest({ endpoints: contract, changes: { log: changes.log, window }, ...options })
  const fiber = Effect.runFork(followChanges(changes.log, window))
  onTestFinished(() => Effect.runPromise(Fiber.interrupt(fiber)).then(() => undefined))
  await window.filled
  return { ...api, window, port: await api.listen() }
}
