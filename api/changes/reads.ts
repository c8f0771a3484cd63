import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import type { Cursor } from "../../schemas/change.ts"
import type { ChangeBounds, ChangeLog, ChangePortion, NumberedChange } from "../../schemas/ports/changes.ts"
import type { ReadyChange } from "./filter.ts"

/** Numbers of one read: a few milliseconds of work. */
const READ_MAX = 256
/** The longest time of a read: what takes longer would keep all others waiting. */
const READ_MAX_TIME = "10 seconds"
/** Reads that wait for their turn; further ones are refused. */
const WAITING_MAX = 256

/** What a read behind a number gave. */
export type ReadOutcome =
  | ({ readonly _tag: "Portion"; readonly changes: ReadonlyArray<ReadyChange> } & Pick<
      ChangePortion,
      "log" | "reached"
    >)
  /** The next one can no longer be read; the oldest is this one. */
  | { readonly _tag: "Gone"; readonly oldest: number }
  | { readonly _tag: "Unavailable" }

const UNAVAILABLE: ReadOutcome = { _tag: "Unavailable" }

/** What reads need of their surroundings. */
interface ReadOptions {
  readonly ready: (change: NumberedChange) => ReadyChange
  readonly nowMs: () => number
  readonly pause: (ms: number) => Promise<void>
}

/** A read that waits for its turn. */
interface Waiting {
  readonly isWanted: IsWanted
  readonly read: () => Promise<void>
  readonly refuse: () => void
}

/** Whether the asker of a read still waits for it. */
export type IsWanted = () => boolean

/**
 * Reads changes that the window no longer holds, one read after another for all readers. After each one it rests as long as
 * the read took, so that readers of the past never take more than half of the process from those of the present. A read whose caller
 * has gone when its turn comes is not made: where reads are slow and callers give up early, every turn would else go to callers
 * that are gone, and no reader would make progress.
 */
export class PacedReads {
  readonly #log: ChangeLog
  readonly #options: ReadOptions
  readonly #waiting: Array<Waiting> = []
  #isRunning = false

  constructor(log: ChangeLog, options: ReadOptions) {
    this.#log = log
    this.#options = options
  }

  /** The changes of at most `READ_MAX` numbers behind a place, when it is its turn. Without a place there is nothing to read. */
  read(place: Cursor | null, isWanted: IsWanted): Promise<ReadOutcome> {
    if (place === null) return Promise.resolve(UNAVAILABLE)
    const read = this.#log.read(place, READ_MAX).pipe(
      Effect.map(({ log, changes, reached }): ReadOutcome => {
        return { _tag: "Portion", log, changes: changes.map(this.#options.ready), reached }
      }),
      Effect.catchTag("ChangesGone", ({ oldest }) => Effect.succeed<ReadOutcome>({ _tag: "Gone", oldest })),
      Effect.catch(() => Effect.succeed(UNAVAILABLE)),
    )
    return this.#inTurn(read, UNAVAILABLE, isWanted)
  }

  /** The last committed change; null where there is none, undefined where that cannot be read now. */
  last(isWanted: IsWanted): Promise<Cursor | null | undefined> {
    return this.#inTurn(
      Effect.catch(this.#log.last, () => Effect.succeed(undefined)),
      undefined,
      isWanted,
    )
  }

  /** The numbers that can be read; null where there is none, undefined where that cannot be read now. */
  bounds(isWanted: IsWanted): Promise<ChangeBounds | null | undefined> {
    return this.#inTurn(
      Effect.catch(this.#log.bounds, () => Effect.succeed(undefined)),
      undefined,
      isWanted,
    )
  }

  /** The time by the clock of the reads, in milliseconds. */
  nowMs(): number {
    return this.#options.nowMs()
  }

  #inTurn<A>(read: Effect.Effect<A>, refused: A, isWanted: IsWanted): Promise<A> {
    if (this.#waiting.length >= WAITING_MAX) return Promise.resolve(refused)
    const { promise, resolve } = Promise.withResolvers<A>()
    const bounded = Effect.map(
      Effect.timeoutOption(read, READ_MAX_TIME),
      Option.getOrElse(() => refused),
    )
    this.#waiting.push({
      isWanted,
      read: async () => resolve(await Effect.runPromise(bounded)),
      refuse: () => resolve(refused),
    })
    if (!this.#isRunning) this.#run()
    return promise
  }

  async #run(): Promise<void> {
    this.#isRunning = true
    for (let next = this.#waiting.shift(); next !== undefined; next = this.#waiting.shift()) {
      if (!next.isWanted()) {
        next.refuse()
        continue
      }
      const begunAtMs = this.#options.nowMs()
      await next.read()
      await this.#options.pause(Math.max(0, this.#options.nowMs() - begunAtMs))
    }
    this.#isRunning = false
  }
}
