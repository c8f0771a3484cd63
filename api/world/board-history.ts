import { LRUCache } from "lru-cache"
import type { Tile } from "../../schemas/endpoints/world.ts"
import {
  type WorldHistory,
  type WorldRange,
  worldHistoryEndpoint,
  worldRangeDays,
} from "../../schemas/endpoints/world-history.ts"
import { instant } from "../../schemas/event.ts"
import type { ProblemReply } from "../http/problems.ts"
import { type PreparedReply, prepare } from "../http/representation.ts"
import type { PastBounds, PastReader } from "../past/reader.ts"
import type { PastBoards } from "./past-boards.ts"

const MINUTE_MS = 60_000
const HOUR_MS = 60 * MINUTE_MS
const DAY_MS = 24 * HOUR_MS

/** A range has so many steps at most, and one instant more. */
const STEPS_MAX = 60
/** Each step is a part of the next one: as a past grows, the instants that were read stay those of its history. */
const stepsMs = [1, 5, 15, 30, 60, 180, 360, 720, 1_440, 2_880, 5_760, 11_520].map((minutes) => minutes * MINUTE_MS)
/** The step of the longest range, a year. */
const STEP_MAX_MS = 11_520 * MINUTE_MS

/** Instants at equal steps. */
interface Grid {
  readonly stepMs: number
  readonly instantsMs: ReadonlyArray<number>
}

/** The instants of a range, within what is known and settled: at the smallest step that gives few enough. */
export const gridOf = (bounds: PastBounds | null, rangeMs: number): Grid => {
  if (bounds === null) return { stepMs: MINUTE_MS, instantsMs: [] }
  const { firstMs, settledMs } = bounds
  const beginMs = Math.max(firstMs, settledMs - rangeMs)
  const stepMs = stepsMs.find((one) => (settledMs - beginMs) / one <= STEPS_MAX) ?? STEP_MAX_MS
  const instantsMs: Array<number> = []
  for (let ms = Math.ceil(beginMs / stepMs) * stepMs; ms <= settledMs; ms += stepMs) instantsMs.push(ms)
  return { stepMs, instantsMs }
}

/** The numbers of a board by the names of its tiles. */
type Numbers = ReadonlyMap<string, Pick<Tile, "unit"> & { readonly value: number }>

const numbersOf = (tiles: ReadonlyArray<Tile>): Numbers =>
  new Map(tiles.flatMap(({ name, value, unit }) => (typeof value === "number" ? [[name, { value, unit }]] : [])))

/** Instants whose numbers are kept: those of every range, and of the days before. */
const INSTANTS_MAX = 512
/** How long a request waits for instants that are not read yet. */
const WAIT_MS = 400
/** How long the bounds of the past are believed. */
const BOUNDS_KEPT_MS = 15_000

interface Made {
  readonly stamp: string
  readonly prepared: Promise<PreparedReply>
}

/**
 * The numbers of every tile over some time, of the boards of then. A board is read once, one at a time, when its instant is
 * first asked for.
 */
export class BoardHistory {
  readonly #past: PastReader
  readonly #boards: PastBoards
  readonly #nowMs: () => number
  readonly #numbers = new LRUCache<number, Numbers>({ max: INSTANTS_MAX })
  readonly #filling = new Map<WorldRange, Promise<ProblemReply | null>>()
  readonly #made = new Map<WorldRange, Made>()
  #purgesSeen = 0
  #bounds: { readonly read: Promise<PastBounds | ProblemReply | null>; readonly atMs: number } | null = null

  constructor(options: { readonly past: PastReader; readonly boards: PastBoards; readonly nowMs: () => number }) {
    this.#past = options.past
    this.#boards = options.boards
    this.#nowMs = options.nowMs
  }

  /** The history of a range, as far as it is read within some time. */
  async of(range: WorldRange): Promise<WorldHistory> {
    this.#forgetPurged()
    const bounds = await this.#boundsNow()
    if (bounds !== null && "status" in bounds)
      return this.#historyOf(range, null, { ...gridOf(null, 0), problem: bounds })
    const grid = gridOf(bounds, worldRangeDays[range] * DAY_MS)
    const missing = grid.instantsMs.filter((ms) => !this.#numbers.has(ms))
    const problem = missing.length === 0 ? null : await Promise.race([this.#fill(range, missing), after(WAIT_MS)])
    return this.#historyOf(range, bounds, { ...grid, problem })
  }

  /** The same as bytes, which are made again when they are others. */
  async replyOf(range: WorldRange): Promise<PreparedReply> {
    const history = await this.of(range)
    const { instants, complete, first, reason } = history
    const stamp = JSON.stringify([instants[0], instants.at(-1), instants.length, complete, first, reason])
    const known = this.#made.get(range)
    if (known?.stamp === stamp) return known.prepared
    const prepared = prepare(Buffer.from(JSON.stringify(history)), {
      preparedAtMs: this.#nowMs(),
      ttlMs: worldHistoryEndpoint.ttlMs({}),
      changesAtMs: null,
      asOf: null,
      stale: null,
      // An incomplete history changes within seconds, so no cache may store it. `resting` leaves out Retry-After, which the contract
      // of this document does not have: its member `complete` says the same.
      missing: complete ? null : { resting: true, reason: reason ?? "incomplete" },
    })
    this.#made.set(range, { stamp, prepared })
    return prepared
  }

  /** Forgets all numbers once more is taken out: it may stand in any of them. */
  #forgetPurged(): void {
    const { purgesSeen } = this.#past
    if (purgesSeen === this.#purgesSeen) return
    this.#numbers.clear()
    this.#made.clear()
    this.#purgesSeen = purgesSeen
  }

  #boundsNow(): Promise<PastBounds | ProblemReply | null> {
    const nowMs = this.#nowMs()
    if (this.#bounds !== null && Math.abs(nowMs - this.#bounds.atMs) < BOUNDS_KEPT_MS) return this.#bounds.read
    const read = this.#past.bounds(this.#boards.keys)
    this.#bounds = { read, atMs: nowMs }
    // A failure is not kept, and neither is that nothing is known yet.
    read.then((bounds) => {
      if ((bounds === null || "status" in bounds) && this.#bounds?.read === read) this.#bounds = null
    })
    return read
  }

  /** Reads the boards of instants, the latest first; gives the refusal that ended it, null where all are read. */
  #fill(range: WorldRange, instantsMs: ReadonlyArray<number>): Promise<ProblemReply | null> {
    const running = this.#filling.get(range)
    if (running !== undefined) return running
    const filling = this.#read(instantsMs.toReversed()).finally(() => this.#filling.delete(range))
    this.#filling.set(range, filling)
    return filling
  }

  async #read(instantsMs: ReadonlyArray<number>): Promise<ProblemReply | null> {
    for (const ms of instantsMs) {
      if (this.#numbers.has(ms)) continue
      const { purgesSeen } = this.#past
      const board = await this.#boards.at({ at: instant(ms), lastEventId: undefined, client: null })
      // Read before more was taken out: it is read again.
      if (purgesSeen !== this.#past.purgesSeen) return null
      if (!("status" in board)) this.#numbers.set(ms, numbersOf(board.world.tiles))
      else if (board.status >= 500) return board
      // Nothing was known then.
      else this.#numbers.set(ms, new Map())
    }
    return null
  }

  #historyOf(
    range: WorldRange,
    bounds: PastBounds | null,
    { stepMs, instantsMs, problem }: Grid & { readonly problem: ProblemReply | null },
  ): WorldHistory {
    const read = instantsMs.flatMap((ms) => {
      const numbers = this.#numbers.get(ms)
      return numbers === undefined ? [] : [{ ms, numbers }]
    })
    const names = [...new Set(read.flatMap(({ numbers }) => [...numbers.keys()]))]
    return {
      range,
      first: bounds === null ? null : instant(bounds.firstMs),
      step_seconds: stepMs / 1_000,
      complete: problem === null && read.length === instantsMs.length,
      reason: problem === null ? null : problem.status === 404 ? "not_configured" : "past_unavailable",
      instants: read.map(({ ms }) => instant(ms)),
      tiles: names.map((name) => ({
        name,
        unit: read.findLast(({ numbers }) => numbers.has(name))?.numbers.get(name)?.unit ?? null,
        values: read.map(({ numbers }) => numbers.get(name)?.value ?? null),
      })),
    }
  }
}

const after = (ms: number): Promise<null> => new Promise((resolve) => setTimeout(resolve, ms, null).unref())
