import * as Effect from "effect/Effect"
import * as References from "effect/References"
import { type Processor, processor } from "../../../processors/processor.ts"
import { firstPosition, type Position } from "../../../processors/run/checkpoint.ts"
import { type Folding, makeFolding } from "../../../processors/run/folding.ts"
import { lastChangeOf } from "../../../processors/run/last-change.ts"
import { rebuiltPosition } from "../../../processors/run/rebuild.ts"
import type { ChangeType, Cursor } from "../../../schemas/change.ts"
import { type EventType, encodeEvent, instant, makeEvent } from "../../../schemas/event.ts"
import { itemAppeared, itemChanged, itemGone } from "../../../schemas/events/deltas.ts"
import { clockTicked } from "../../../schemas/events/observations.ts"
import type { StoredRecord } from "../../../schemas/ports/event-log.ts"
import { eventReader } from "../../../schemas/registry.ts"
import { otherEvent } from "../numbered-changes.ts"
import type { Chance } from "./chance.ts"
import type { Truth } from "./truth.ts"
import type { SimulatedLog } from "./world.ts"

const BEGIN = Date.parse("2026-01-31T00:00:00.000Z")

const events = { appeared: itemAppeared, changed: itemChanged, gone: itemGone } as const

/** What one derived change is of, as the id of its source event says. */
interface Plan {
  readonly type: ChangeType
  readonly magnitude: number
}

const derivedOf = (key: string, { type, magnitude }: Plan, time: string, bytes: number) => ({
  type: events[type] as unknown as EventType,
  subject: `earthquakes/${key}`,
  data: {
    feed: "earthquakes",
    parameters: { magnitude: "all", period: "day" },
    provider: "USGS.earthquakes",
    key,
    observedAt: time,
    item: {
      id: key,
      type: "earthquake",
      magnitude,
      magnitudeType: "mww",
      place: "x".repeat(bytes),
      time,
      revisedAt: time,
      latitude: 1,
      longitude: 2,
      depthKm: 10,
      tsunami: false,
      alert: null,
      significance: null,
      status: "automatic",
      url: null,
    },
    // One whose row is as before is not shown.
    ...(type === "changed" ? { before: { magnitude: magnitude + 1 } } : {}),
  },
})

/** A fold that derives what the id of each event says; `leftOut` of each: changed code derives fewer. */
const deriving = (itemBytes: number, leftOut = 0): Processor =>
  processor({
    name: "simulated",
    numbersChanges: true,
    step: (_, event) => {
      const plans: ReadonlyArray<Plan> = JSON.parse(event.id.slice(event.id.indexOf(" ") + 1))
      return {
        events: plans
          .slice(leftOut)
          .map((plan, index) => derivedOf(`${event.id.split(" ")[0]}-${index}`, plan, event.time, itemBytes)),
      }
    },
  })

/** The process that folds, with what it has committed: it is killed, started again, and rebuilt. */
export class Writer {
  readonly #log: SimulatedLog
  readonly #chance: Chance
  readonly #truth: Truth
  readonly #itemBytes: number
  #processor: Processor
  /** The source events, at the offsets of their places. */
  readonly #sources: Array<StoredRecord> = []
  #saved: Position = firstPosition("observations", 1, 0)
  #folding: Folding

  constructor(log: SimulatedLog, chance: Chance, truth: Truth, itemBytes: number) {
    this.#log = log
    this.#chance = chance
    this.#truth = truth
    this.#itemBytes = itemBytes
    this.#processor = deriving(itemBytes)
    this.#folding = this.#started()
  }

  /** The last change whose commit succeeded. */
  get last(): Cursor | null {
    return this.#saved.lastChange
  }

  /** Folds some events that were observed, and commits; or is killed before the commit, and starts again. */
  work(): void {
    const count = 1 + this.#chance.below(3)
    for (let index = 0; index < count; index += 1) {
      const offset = this.#sources.length
      const plans = Array.from(
        { length: this.#chance.below(4) },
        (): Plan => ({
          type: this.#chance.pick(["appeared", "changed", "gone"]),
          magnitude: this.#chance.below(8),
        }),
      )
      const id = `e${offset} ${JSON.stringify(plans)}`
      const time = instant(BEGIN + offset * 1_000)
      const value = encodeEvent(makeEvent(clockTicked, { id, source: "test", subject: "clock", time, data: {} }))
      this.#sources.push({ offset, key: "clock", value })
    }
    this.#foldAll(this.#folding)
    if (this.#chance.once(8)) {
      // Killed: what was folded and not committed is folded again, from the position that the log holds.
      this.#folding = this.#started()
      this.#foldAll(this.#folding)
    }
    this.#commit()
  }

  /** Is killed, and starts again. */
  restart(): void {
    this.#folding = this.#started()
  }

  /** Is rebuilt, by code that derives other changes than the log holds. */
  rebuild(): void {
    this.#processor = deriving(this.#itemBytes, this.#chance.below(2))
    const first = firstPosition("observations", this.#saved.generation + 1, 0)
    const refold = makeFolding(this.#processor, eventReader, { position: first, state: new Map() })
    this.#foldAll(refold, this.#saved.next)
    this.#saved = rebuiltPosition(refold.position(), this.#saved, 0, this.#saved.next)
    this.#folding = this.#started()
  }

  #started(): Folding {
    const lastChange = Effect.runSync(
      Effect.provideService(
        lastChangeOf(this.#log.log(true), this.#saved.lastChange),
        References.MinimumLogLevel,
        "None",
      ),
    )
    return makeFolding(this.#processor, eventReader, {
      position: { ...this.#saved, lastChange },
      state: new Map(),
    })
  }

  #foldAll(folding: Folding, before = this.#sources.length): void {
    for (const record of this.#sources.slice(folding.position().next, before)) folding.fold(record)
  }

  #commit(): void {
    const { records, position } = this.#folding.take()
    const changes = records.filter(({ topic }) => topic === "deltas")
    // Other processors share the topic.
    const others = this.#chance.once(3) ? [otherEvent(position.next)] : []
    this.#truth.commit(changes)
    this.#log.commit(this.#chance.once(2) ? [...others, ...changes] : [...changes, ...others])
    this.#saved = position
  }
}
