import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import { changingFeeds, makeReady } from "../../../api/changes/filter.ts"
import { followChanges } from "../../../api/changes/follower.ts"
import { PacedReads } from "../../../api/changes/reads.ts"
import { ChangeStreams, TICK_MS } from "../../../api/changes/streams.ts"
import { ChangeWindow } from "../../../api/changes/window.ts"
import { makeChangeLog } from "../../../processors/changes/change-log.ts"
import { endpoints } from "../../../schemas/registry.ts"
import { everythingShown } from "../numbered-changes.ts"
import type { Chance } from "./chance.ts"
import type { SimulatedLog } from "./world.ts"

/** Changes of the window: few, so that readers often need those before it. */
const WINDOW_CHANGES = 24

/** Time, and what waits for its turn. */
export interface Turns {
  nowMs: number
  readonly tasks: Set<() => void>
}

const feeds = changingFeeds(endpoints)

/** The reading side of one API process: its window, its follower, its reads of the past, its streams. */
export class Service {
  readonly window: ChangeWindow
  readonly reads: PacedReads
  readonly streams: ChangeStreams
  readonly feeds = feeds
  readonly #turns: Turns
  readonly #ends = new Set<() => void>()
  #fiber: Fiber.Fiber<unknown, unknown> | null = null
  readonly #follow: () => void
  isEnded = false

  constructor(log: SimulatedLog, chance: Chance, turns: Turns) {
    this.#turns = turns
    const changes = makeChangeLog({ log: log.log(), archive: log.archive(), ...everythingShown })
    const ready = makeReady(feeds)
    const soon = (run: () => void) => {
      turns.tasks.add(() => {
        if (!this.isEnded) run()
      })
    }
    this.window = new ChangeWindow(ready, { changesMax: WINDOW_CHANGES, bytesMax: 1_000_000 })
    this.reads = new PacedReads(changes, {
      ready,
      nowMs: () => turns.nowMs,
      pause: () => new Promise((resolve) => turns.tasks.add(resolve)),
    })
    this.streams = new ChangeStreams({
      window: this.window,
      reads: this.reads,
      nowMs: () => turns.nowMs,
      random: chance.share,
      soon,
    })
    this.#follow = () => {
      this.#fiber = Effect.runFork(followChanges(changes, this.window))
      // A supervisor starts it again, after a while.
      this.#fiber.addObserver(() => soon(this.#follow))
    }
    this.#follow()
  }

  get isFilled(): boolean {
    return !this.isEnded && this.window.isFilled
  }

  nowMs(): number {
    return this.#turns.nowMs
  }

  /** Runs when the process ends. */
  onEnd(run: () => void): void {
    this.#ends.add(run)
  }

  /** Lets time pass. */
  tick(times: number): void {
    for (let count = 0; count < times; count += 1) {
      this.#turns.nowMs += TICK_MS
      this.streams.tick()
    }
  }

  /** Kills the process. */
  async kill(): Promise<void> {
    this.isEnded = true
    for (const run of this.#ends) run()
    if (this.#fiber !== null) await Effect.runPromise(Fiber.interrupt(this.#fiber))
  }
}
