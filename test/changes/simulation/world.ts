import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Stream from "effect/Stream"
import type { ArchivedChanges } from "../../../processors/changes/archived-changes.ts"
import { numberedIn } from "../../../processors/changes/numbered.ts"
import { type Cursor, sequenceOf } from "../../../schemas/change.ts"
import {
  type Batch,
  type EventLog,
  type LogRecord,
  LogUnavailable,
  type Offset,
  type StoredRecord,
} from "../../../schemas/ports/event-log.ts"
import { HistoryUnavailable } from "../../../schemas/ports/history.ts"
import type { Chance } from "./chance.ts"

/** The rules of an engine by which readers of a topic can tell it from another. */
export interface EngineRules {
  readonly name: "embedded" | "kafka"
  /** Offsets that a commit takes beside those of its records. */
  readonly markers: number
}
export const engineRules: ReadonlyArray<EngineRules> = [
  { name: "embedded", markers: 0 },
  { name: "kafka", markers: 1 },
]

/** The topic `deltas` of a log, and its archive, in memory: what readers do waits until the simulation lets it go on. */
export class SimulatedLog {
  readonly #rules: EngineRules
  readonly #chance: Chance
  /** Operations of readers that wait for their turn. */
  readonly #pending = new Set<() => void>()
  readonly #followers = new Set<() => void>()
  #records: Array<StoredRecord> = []
  #start = 0
  #end = 0
  #archivedTo = 0
  #archive: Array<StoredRecord> = []
  /** Whether operations of readers fail at times. */
  isFaulty = false
  /** Whether there is an archive at all. */
  readonly hasArchive: boolean
  isArchiveAway = false

  constructor(rules: EngineRules, chance: Chance, hasArchive: boolean) {
    this.#rules = rules
    this.#chance = chance
    this.hasArchive = hasArchive
  }

  get pending(): number {
    return this.#pending.size
  }

  /** Lets one of the waiting operations go on. */
  goOn(): void {
    const turn = this.#chance.pick([...this.#pending])
    this.#pending.delete(turn)
    turn()
  }

  /** Appends a commit. */
  commit(records: ReadonlyArray<Pick<LogRecord, "key" | "value">>): void {
    for (const { key, value } of records) {
      this.#records.push({ offset: this.#end, key, value })
      this.#end += 1
    }
    this.#end += this.#rules.markers
    for (const wake of [...this.#followers]) wake()
  }

  /** Archives some more records, if there is an archive. */
  archiveSome(): void {
    if (!this.hasArchive) return
    const to = this.#archivedTo + this.#chance.below(this.#end - this.#archivedTo + 1)
    this.#archive.push(...this.#records.filter(({ offset }) => offset >= this.#archivedTo && offset < to))
    this.#archivedTo = to
  }

  /** Trims some records: those of the archive, where there is one. */
  trimSome(): void {
    // Without an archive the topic is only cut, never emptied.
    const newest = numberedIn(this.#records).at(-1)?.offset ?? this.#start
    const limit = this.hasArchive ? this.#archivedTo : newest
    this.#start += this.#chance.below(Math.max(0, limit - this.#start) + 1)
    this.#records = this.#records.filter(({ offset }) => offset >= this.#start)
  }

  /** Loses the last records of the log, as a cluster does whose leader was not the newest; gives how many were changes. */
  loseTail(): number {
    // One that has lost every change looks like one that was trimmed.
    const kept = numberedIn(this.#records)[0]?.offset ?? this.#end
    const from = Math.max(kept + 1, this.#archivedTo, this.#end - 1 - this.#chance.below(20))
    const lost = numberedIn(this.#records.filter(({ offset }) => offset >= from)).length
    this.#records = this.#records.filter(({ offset }) => offset < from)
    this.#end = Math.min(this.#end, from)
    return lost
  }

  /** The oldest change of a log that can be read; null without one. */
  oldest(name: string): number | null {
    const known = numberedIn([...this.#archive, ...this.#records]).filter(({ cursor }) => cursor.log === name)
    return known.length === 0 ? null : Math.min(...known.map(({ cursor }) => cursor.ordinal))
  }

  /** The numbers of records, as a writer without the simulation's delays reads them. */
  last(): Cursor | null {
    const value = this.#records.findLast((one) => one.value !== null && sequenceOf(textOf(one)) !== null)
    return value === undefined ? null : sequenceOf(textOf(value))
  }

  /** The log as readers see it, whose operations wait; `isDirect`: they do not. */
  log(isDirect = false): EventLog {
    const turn = isDirect ? Effect.void : this.#turn()
    const read = (from: Offset, until: Offset) =>
      Stream.paginate(from, (position: Offset) =>
        Effect.map(turn, () => {
          const batch = this.#batch(Math.max(position, this.#start), until)
          return [[batch], batch.next < until ? Option.some(batch.next) : Option.none<Offset>()] as const
        }),
      )
    const unused = () => Effect.die(new Error("the simulation does not use this"))
    return {
      claim: unused,
      append: unused,
      trim: unused,
      awaitTurn: unused,
      risks: Effect.succeed(new Map()),
      bytes: () => Effect.succeed(null),
      start: () => Effect.map(turn, () => this.#start),
      end: () => Effect.map(turn, () => this.#end),
      read: (_, from) =>
        Stream.unwrap(Effect.map(turn, () => (from < this.#end ? read(from, this.#end) : Stream.empty))),
      follow: (_, from) =>
        Stream.paginate(from, (position: Offset) =>
          this.#grown(position).pipe(
            Effect.andThen(turn),
            Effect.map(() => {
              const batch = this.#batch(Math.max(position, this.#start), this.#end)
              return [[batch], Option.some(batch.next)] as const
            }),
          ),
        ),
    }
  }

  /** The archive as readers see it; null where there is none. */
  archive(): ArchivedChanges | null {
    if (!this.hasArchive) return null
    const turn = Effect.mapError(this.#turn(), ({ problem }) => new HistoryUnavailable({ problem }))
    const asked = <A>(answer: () => A) =>
      Effect.flatMap(turn, () =>
        this.isArchiveAway ? Effect.fail(new HistoryUnavailable({ problem: "it is away" })) : Effect.sync(answer),
      )
    const of = (name: string) => numberedIn(this.#archive).filter(({ cursor }) => cursor.log === name)
    return {
      behind: ({ log, ordinal }, max) =>
        asked(() =>
          of(log)
            .filter(({ cursor }) => cursor.ordinal > ordinal)
            .slice(0, Math.min(max, 1 + this.#chance.below(40))),
        ),
      first: (name) => asked(() => of(name)[0]?.cursor ?? null),
      last: asked(() => numberedIn(this.#archive).at(-1)?.cursor ?? null),
    }
  }

  #batch(from: Offset, until: Offset): Batch {
    const size = 1 + this.#chance.below(30)
    const records = this.#records.filter(({ offset }) => offset >= from && offset < until).slice(0, size)
    const isLast = records.length < size
    return { topic: "deltas", records, next: isLast ? Math.max(from, until) : (records.at(-1)?.offset ?? from) + 1 }
  }

  #turn(): Effect.Effect<void, LogUnavailable> {
    return Effect.callback((resume) => {
      const go = () =>
        resume(
          this.isFaulty && this.#chance.below(60) === 0
            ? Effect.fail(new LogUnavailable({ problem: "made so by the simulation", cause: null }))
            : Effect.void,
        )
      this.#pending.add(go)
      return Effect.sync(() => this.#pending.delete(go))
    })
  }

  #grown(position: Offset): Effect.Effect<void> {
    return Effect.callback((resume) => {
      const look = () => {
        if (this.#end <= position) return
        this.#followers.delete(look)
        resume(Effect.void)
      }
      this.#followers.add(look)
      look()
      return Effect.sync(() => this.#followers.delete(look))
    })
  }
}

const decoder = new TextDecoder()
const textOf = ({ value }: StoredRecord): string => (value === null ? "" : decoder.decode(value))
