import * as Effect from "effect/Effect"
import * as Random from "effect/Random"
import { cursorText } from "../../../schemas/change.ts"
import { type Chance, chanceOf } from "./chance.ts"
import { type Door, Reader } from "./reader.ts"
import { Service, type Turns } from "./service.ts"
import { Truth, Violation } from "./truth.ts"
import { engineRules, SimulatedLog } from "./world.ts"
import { Writer } from "./writer.ts"

/** Actions of one simulation. */
const STEPS = 500
/** Rounds without a step of any reader, after the last action, after which the readers that are not at the end are stuck. */
const IDLE_ROUNDS = 200

/** Lets everything run that waits for nothing but a turn of the event loop. */
const settle = async (): Promise<void> => {
  for (let turn = 0; turn < 3; turn += 1) await new Promise((resolve) => setImmediate(resolve))
}

const doors: ReadonlyArray<Door> = ["page", "long-poll", "stream", "stream"]

const readersOf = (chance: Chance, truth: Truth, log: SimulatedLog): ReadonlyArray<Reader> =>
  Array.from({ length: 2 + chance.below(4) }, (_, index) => {
    const wanted = {
      magnitudeMin: chance.once(2) ? chance.below(8) : null,
      type: chance.once(3) ? chance.pick(["appeared", "changed", "gone"]) : null,
    }
    return new Reader(`reader ${index}`, chance.pick(doors), truth, wanted, (name) => log.oldest(name))
  })

/** What can happen, each as often as it is listed. */
const actions = [
  ...Array<"read">(6).fill("read"),
  ...Array<"go on">(12).fill("go on"),
  ...Array<"task">(6).fill("task"),
  ...Array<"deliver">(5).fill("deliver"),
  ...Array<"append">(4).fill("append"),
  ...Array<"tick">(2).fill("tick"),
  "archive",
  "trim",
  "cut",
  "rarely",
] as const
const rareActions = ["kill", "restart", "rebuild", "archive away", "fault", "lose tail"] as const

/** One simulated history, whole. */
class Simulation {
  readonly #chance: Chance
  readonly #turns: Turns = { nowMs: 1_000_000, tasks: new Set() }
  readonly #truth = new Truth()
  readonly #log: SimulatedLog
  readonly #writer: Writer
  readonly #readers: ReadonlyArray<Reader>
  readonly #trace: (action: string) => void
  #service: Service

  constructor(chance: Chance, trace: (line: string) => void) {
    this.#chance = chance
    this.#trace = (action) => {
      const { window } = this.#service
      const { last } = this.#truth
      const readers = this.#readers.map(({ situation }) => situation).join(", ")
      trace(
        `${action}: last ${last && cursorText(last)}, window ${window.log} ${window.after} to ${window.reached}; ${readers}`,
      )
    }
    this.#log = new SimulatedLog(chance.pick(engineRules), chance, !chance.once(4))
    // Now and then items are so large that readers are slow.
    this.#writer = new Writer(this.#log, chance, this.#truth, chance.once(4) ? 20_000 : 20)
    this.#readers = readersOf(chance, this.#truth, this.#log)
    this.#service = new Service(this.#log, chance, this.#turns)
  }

  async run(): Promise<void> {
    for (let step = 0; step < STEPS; step += 1) {
      await this.#act()
      await settle()
      this.#check()
    }
    await this.#finish()
  }

  async end(): Promise<void> {
    await this.#service.kill()
  }

  async #act(): Promise<void> {
    const chance = this.#chance
    const action = chance.pick(actions)
    if (action !== "rarely") this.#trace(action)
    switch (action) {
      case "read":
        return chance.pick(this.#readers).act(this.#service)
      case "go on":
        if (this.#log.pending > 0) this.#log.goOn()
        return
      case "task":
        return this.#task()
      case "deliver":
        return chance.pick(this.#readers).take(chance.once(3) ? 1 + chance.below(2_000) : 1_000_000)
      case "append":
        return this.#writer.work()
      case "tick":
        return this.#service.tick(1 + chance.below(80))
      case "archive":
        return this.#log.archiveSome()
      case "trim":
        // A log that lost its tail and was then trimmed whole, before it was written to, cannot be told from a trimmed one.
        if (!this.#truth.hasLostTail) this.#log.trimSome()
        return
      case "cut":
        return chance.pick(this.#readers).cut()
      case "rarely":
        return this.#actRarely()
    }
  }

  async #actRarely(): Promise<void> {
    const chance = this.#chance
    const action = chance.pick(rareActions)
    this.#trace(action)
    switch (action) {
      case "kill":
        return this.#restartService()
      case "restart":
        return this.#writer.restart()
      case "rebuild":
        return this.#writer.rebuild()
      case "archive away":
        this.#log.isArchiveAway = !this.#log.isArchiveAway
        return
      case "fault":
        this.#log.isFaulty = !this.#log.isFaulty
        return
      case "lose tail":
        if (!chance.once(3)) return
        if (this.#log.loseTail() > 0) this.#truth.hasLostTail = true
        this.#writer.restart()
        return this.#restartService()
    }
  }

  async #restartService(): Promise<void> {
    await this.#service.kill()
    this.#service = new Service(this.#log, this.#chance, this.#turns)
  }

  #task(): void {
    if (this.#turns.tasks.size === 0) return
    const task = this.#chance.pick([...this.#turns.tasks])
    this.#turns.tasks.delete(task)
    task()
  }

  /** Heals everything, and lets everybody read to the end: also where a single change follows, which nothing wakes them after. */
  async #finish(): Promise<void> {
    this.#log.isFaulty = false
    this.#log.isArchiveAway = false
    for (let last = 0; last < 4; last += 1) {
      const before = this.#truth.last
      do this.#writer.work()
      while (this.#truth.last === before)
      await this.#readToTheEnd()
    }
  }

  async #readToTheEnd(): Promise<void> {
    let before = ""
    for (let idle = 0; idle < IDLE_ROUNDS; idle += 1) {
      while (this.#log.pending > 0) this.#log.goOn()
      for (const task of [...this.#turns.tasks]) {
        this.#turns.tasks.delete(task)
        task()
      }
      for (const reader of this.#readers) {
        reader.act(this.#service)
        reader.take(1_000_000)
      }
      await settle()
      this.#check()
      if (this.#readers.every(({ isAtEnd }) => isAtEnd)) return
      // No time passes: what wakes a reader is the change that it waits for.
      const now = this.#readers.map(({ situation }) => situation).join("; ")
      if (now !== before) idle = 0
      before = now
    }
    const late = this.#readers.filter(({ isAtEnd }) => !isAtEnd)
    const { window } = this.#service
    const { last } = this.#truth
    throw new Violation(
      `never at the end (${last === null ? "none" : cursorText(last)}; the window reaches ${window.cursorOf(window.reached)}): ` +
        late.map(({ situation }) => situation).join("; "),
    )
  }

  #check(): void {
    for (const { failure } of this.#readers) if (failure !== undefined) throw failure
  }
}

/**
 * Simulates the reading side with a writer, readers, and everything that happens to them, by a seed; gives what went wrong, or
 * null. The same seed gives the same simulation.
 */
export const simulate = (seed: number, trace: (line: string) => void = () => {}): Promise<string | null> =>
  Effect.runPromise(
    Random.Random.pipe(
      Effect.flatMap((random) =>
        Effect.promise(async () => {
          const simulation = new Simulation(chanceOf(random), trace)
          try {
            await simulation.run()
            return null
          } catch (cause) {
            return cause instanceof Violation
              ? cause.message
              : `a fault: ${cause instanceof Error ? cause.stack : cause}`
          } finally {
            await simulation.end()
          }
        }),
      ),
      Random.withSeed(seed),
    ),
  )
