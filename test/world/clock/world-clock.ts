import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import type { ClockState, Goal } from "./messages.ts"

// The clock of the simulated world: it runs as the machine's does, maybe at another time, or it stands.

/**
 * The world moves on by steps of this length at most, on a grid of its own time: at each mark all that is due is polled. Each
 * takes 4 seconds of processor time where all endpoints are offered.
 */
export const STEP_MS = 30 * 60_000
const ADVANCE_MAX_MS = 7 * 24 * 3_600_000
const EARLIEST_MS = Date.UTC(2000, 0)
const LATEST_MS = Date.UTC(2100, 0)

const INSTANT = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(:\d{2}(\.\d{1,3})?)?(Z|[+-]\d{2}:\d{2})$/
const UNITS_MS: Readonly<Record<string, number>> = { s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 }
const DURATION = /^(\d{1,6})([smhd])$/

/** Reads an instant with its zone; fails with what it has to be. */
export const readInstant = (text: string): Result.Result<number, string> => {
  const ms = INSTANT.test(text) ? Date.parse(text) : Number.NaN
  if (Number.isNaN(ms)) return Result.fail("must be an instant with its zone, such as 2026-11-20T00:00Z")
  return ms >= EARLIEST_MS && ms < LATEST_MS ? Result.succeed(ms) : Result.fail("must be between 2000 and 2099")
}

const readDuration = (text: string): Result.Result<number, string> => {
  const [, count, unit = ""] = DURATION.exec(text) ?? []
  const ms = Number(count) * (UNITS_MS[unit] ?? Number.NaN)
  if (Number.isNaN(ms) || ms === 0) return Result.fail("must be a duration, such as 90s, 15m, 2h or 3d")
  return ms <= ADVANCE_MAX_MS ? Result.succeed(ms) : Result.fail("must be at most 7d")
}

/** A wish: whether the clock stands from then on, and a jump before. */
const Wish = Schema.fromJsonString(
  Schema.Struct({
    frozen: Schema.optionalKey(Schema.Boolean),
    advance: Schema.optionalKey(Schema.String),
    time: Schema.optionalKey(Schema.String),
  }),
)
const decodeWish = Schema.decodeUnknownResult(Wish, { onExcessProperty: "error" })

/** The reply to a wish, or to a question. */
interface ClockReply {
  readonly status: number
  readonly body: { readonly now: string; readonly frozen: boolean } | { readonly error: string }
}

/** What follows the clock: it gets every change, and is waited for. */
export interface Follower {
  /** Sets the clock of the service, and waits until the goal is reached; gives what is behind, null where nothing is. */
  readonly service: (state: ClockState, goal: Goal) => Promise<string | null>
  /** Sets the time of the chain's blocks. */
  readonly chain: (state: ClockState, nowMs: number) => Promise<void>
}

/** The clock of the demo's world. */
export interface WorldClock {
  readonly nowMs: () => number
  readonly state: () => ClockState
  /** Whether it is that of the machine. */
  readonly isMachines: () => boolean
  /** From now on a change of the clock waits for these. */
  readonly follow: (follower: Follower) => void
  readonly reply: () => ClockReply
  /** Carries out the body of a `PUT`, one after the other. It answers when everything is as it is at the new time. */
  readonly put: (body: string) => Promise<ClockReply>
}

const instantText = (ms: number): string => new Date(ms).toISOString()
const refused = (error: string): ClockReply => ({ status: 400, body: { error } })

/** The instants at which the world is polled on the way from one instant to another. */
export const marksBetween = (fromMs: number, toMs: number): ReadonlyArray<number> => {
  const first = Math.floor(fromMs / STEP_MS) + 1
  const last = Math.ceil(toMs / STEP_MS) - 1
  const marks = Array.from({ length: Math.max(0, last - first + 1) }, (_, index) => (first + index) * STEP_MS)
  return toMs > fromMs ? [...marks, toMs] : []
}

/** Makes a clock that stands at an instant, or without one runs with the machine's; neither before `earliestMs`. */
export const makeWorldClock = (frozenAtMs: number | null, earliestMs = 0): WorldClock => {
  let state: ClockState =
    frozenAtMs === null
      ? { frozen: false, ms: Math.max(0, earliestMs - Date.now()) }
      : { frozen: true, ms: Math.max(frozenAtMs, earliestMs) }
  let follower: Follower | null = null
  let turn: Promise<unknown> = Promise.resolve()
  const nowMs = () => (state.frozen ? state.ms : Date.now() + state.ms)
  const reply = (): ClockReply => ({ status: 200, body: { now: instantText(nowMs()), frozen: state.frozen } })

  const jumpOf = ({ advance, time }: typeof Wish.Type): Result.Result<number | null, string> => {
    if (advance !== undefined && time !== undefined) return Result.fail("advance and time exclude each other")
    if (advance !== undefined)
      return Result.mapBoth(readDuration(advance), {
        onFailure: (problem) => `advance ${problem}`,
        onSuccess: (ms) => nowMs() + ms,
      })
    if (time === undefined) return Result.succeed(null)
    const at = Result.mapError(readInstant(time), (problem) => `time ${problem}`)
    if (Result.isFailure(at)) return at
    if (at.success < nowMs())
      return Result.fail(
        `time must not be before ${instantText(nowMs())}: the log, the ledger and the chain hold what was said until then, and time never goes back in them`,
      )
    return at.success - nowMs() <= ADVANCE_MAX_MS ? at : Result.fail("time must be at most 7d ahead")
  }

  const put = async (body: string): Promise<ClockReply> => {
    const decoded = decodeWish(body)
    if (Result.isFailure(decoded))
      return refused(
        `the body must be JSON with frozen (true or false), and perhaps advance ("2h") or time ("2026-11-20T00:00Z"): ${decoded.failure.message}`,
      )
    const wish = decoded.success
    if (Object.keys(wish).length === 0) return refused("the body must have frozen, advance or time")
    const jump = jumpOf(wish)
    if (Result.isFailure(jump)) return refused(jump.failure)
    if (follower === null) return { status: 503, body: { error: "the service has not started yet" } }
    const fromMs = nowMs()
    const endsFrozen = wish.frozen ?? state.frozen
    const marks = jump.success === null ? [] : marksBetween(fromMs, jump.success)
    const set = async (next: ClockState, goal: Goal): Promise<string | null> => {
      state = next
      const behind = await follower?.service(state, goal)
      return behind ?? null
    }
    // It stands on the way, so that each mark is polled at its own time.
    const stops = marks.length > 0 || endsFrozen ? [...marks.slice(0, -1), marks.at(-1) ?? fromMs] : []
    for (const atMs of stops) {
      const isLast = atMs === stops.at(-1)
      const behind = await set({ frozen: true, ms: atMs }, isLast ? "served" : "polled")
      if (behind !== null)
        return {
          status: 504,
          body: { error: `the clock stands at ${instantText(atMs)}, and is still to be done: ${behind}` },
        }
    }
    if (!endsFrozen && state.frozen) await set({ frozen: false, ms: state.ms - Date.now() }, "set")
    await follower.chain(state, nowMs())
    return reply()
  }
  return {
    nowMs,
    state: () => state,
    isMachines: () => !state.frozen && state.ms === 0,
    follow: (given) => {
      follower = given
    },
    reply,
    put: (body) => {
      const answered = turn.then(() => put(body))
      turn = answered.catch(() => {})
      return answered
    },
  }
}
