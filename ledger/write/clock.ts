import { uptime } from "node:os"

// The time of entries never goes back, so one entry at a time in the future would hold all later entries at that time. The
// wall clock is therefore trusted only while nothing contradicts it. Clocks and witnesses are passed in as values.

/** A difference above this is a jump of the wall clock, not drift or slewing. */
export const JUMP_MIN_MS = 10_000
/** The largest accepted difference between a witness and the wall clock: witnesses lag by seconds, at times by a minute. */
export const WITNESS_MAX_MS = 5 * 60_000
/** The greatest age of a testimony. */
export const WITNESS_AGE_MAX_MS = 15 * 60_000
/** How long a start waits for an expected witness. */
export const WITNESS_WAIT_MAX_MS = 10_000
/** Without any witness, a start is trusted at most this long after the last entry. */
export const UNWITNESSED_MAX_MS = 31 * 24 * 60 * 60_000
/** A clock behind the last entry by this much is an alarm. */
export const BEHIND_MIN_MS = 60_000
/** The anchor is renewed this often, so that slow drift and slewing never add up to a jump. */
const ANCHOR_MS = 10 * 60_000

/** The clocks of a machine, in milliseconds. */
export interface Clocks {
  readonly wallMs: () => number
  /** Monotonic and cheap; may stop while the machine is suspended. */
  readonly steadyMs: () => number
  /** Monotonic; runs while the machine is suspended. */
  readonly sinceBootMs: () => number
}

/** The clocks of this machine. On Linux and macOS the time since boot includes suspension. */
export const machineClocks: Clocks = {
  wallMs: Date.now,
  steadyMs: () => performance.now(),
  sinceBootMs: () => uptime() * 1000,
}

/** A reading of the ledger's clock. */
export type ClockReading =
  | {
      readonly _tag: "trusted"
      readonly atMs: number
      /** By how much the clock is behind the last entry; 0 if it is not. */
      readonly behindMs: number
    }
  | { readonly _tag: "doubted"; readonly reason: string }

/** The clock of the ledger's entries. */
export interface LedgerClock {
  /** Reads the clock. `lastEntryMs`: the time of the last entry; 0 without one. */
  readonly read: (lastEntryMs: number) => ClockReading
  /** Records the time that a witness states for now. */
  readonly testify: (witness: string, atMs: number) => void
  /** Trusts the wall clock as it is, overruling every doubt: an operator's decision. */
  readonly accept: () => void
}

/** Dependencies of a ledger clock. */
export interface LedgerClockOptions {
  readonly clocks: Clocks
  /** Whether a witness may still testify: a start waits for it, at most `WITNESS_WAIT_MAX_MS`. */
  readonly witnessExpected?: () => boolean
  /** Called when the clock becomes doubted, with the reason, and when it becomes trusted, with the basis. */
  readonly changed?: (reason: string | null, basis: string) => void
}

interface Moment {
  readonly wallMs: number
  readonly steadyMs: number
  readonly sinceBootMs: number
}

const instantText = (atMs: number): string =>
  Number.isFinite(atMs) && Math.abs(atMs) < 8.64e15 ? new Date(atMs).toISOString() : `${atMs} ms`
const seconds = (ms: number): string => `${Math.round(Math.abs(ms) / 1000)} s`

/** A clock for tests and tools: always trusted. */
export const fixedClock = (nowMs: () => number): LedgerClock => ({
  read: (lastEntryMs) => ({ _tag: "trusted", atMs: nowMs(), behindMs: Math.max(0, lastEntryMs - nowMs()) }),
  testify: () => undefined,
  accept: () => undefined,
})

/** Makes a clock that detects a wrong wall clock. */
export const makeLedgerClock = (options: LedgerClockOptions): LedgerClock => {
  const { clocks, witnessExpected = () => false, changed = () => undefined } = options
  const witnesses = new Map<string, { readonly atMs: number; readonly sinceBootMs: number }>()
  /** The last moment at which the wall clock was trusted and anchored. */
  let anchor: Moment | null = null
  let startedMs: number | null = null
  /** By how much the wall clock was ahead of each witness when an operator accepted it. */
  let overruled: ReadonlyMap<string, number> = new Map()
  let announced: string | null | undefined

  const now = (): Moment => ({
    wallMs: clocks.wallMs(),
    steadyMs: clocks.steadyMs(),
    sinceBootMs: clocks.sinceBootMs(),
  })

  /** By how much the wall clock is ahead of each witness with a recent testimony. */
  const aheadOf = (wallMs: number, sinceBootMs: number): ReadonlyMap<string, number> =>
    new Map(
      [...witnesses].flatMap(([name, testimony]) => {
        const ageMs = sinceBootMs - testimony.sinceBootMs
        return ageMs >= 0 && ageMs <= WITNESS_AGE_MAX_MS ? [[name, wallMs - (testimony.atMs + ageMs)] as const] : []
      }),
    )

  /** A witness that agrees with the clock, else one that contradicts it; null without a recent testimony. */
  const compare = (wallMs: number, sinceBootMs: number) => {
    const ahead = aheadOf(wallMs, sinceBootMs)
    for (const [name, ms] of ahead) {
      if (Math.abs(ms) <= WITNESS_MAX_MS) return { agrees: true as const, name }
      const before = overruled.get(name)
      if (before !== undefined && Math.abs(ms - before) <= WITNESS_MAX_MS)
        return { agrees: true as const, name: "an operator" }
    }
    const [first] = ahead
    return first === undefined ? null : { agrees: false as const, name: first[0], aheadMs: first[1] }
  }

  /** `changed` is called once for each `kind` of doubt; the reason may name a later instant at each reading. */
  const doubt = (kind: string, reason: string): ClockReading => {
    if (announced !== kind) {
      announced = kind
      changed(reason, "")
    }
    return { _tag: "doubted", reason }
  }
  const trust = (wallMs: number, lastEntryMs: number, basis: string): ClockReading => {
    if (announced !== null) {
      announced = null
      changed(null, basis)
    }
    return { _tag: "trusted", atMs: wallMs, behindMs: Math.max(0, lastEntryMs - wallMs) }
  }
  const contradiction = (wallMs: number, { name, aheadMs }: { name: string; aheadMs: number }): ClockReading =>
    doubt(
      name,
      `the clock is at ${instantText(wallMs)}, ${name} at ${instantText(wallMs - aheadMs)}: they must agree again, or an operator must accept the clock`,
    )

  const begin = (lastEntryMs: number): ClockReading => {
    const moment = now()
    const { wallMs, sinceBootMs } = moment
    startedMs ??= sinceBootMs
    const compared = compare(wallMs, sinceBootMs)
    if (compared?.agrees === false) return contradiction(wallMs, compared)
    if (compared === null) {
      if (witnessExpected() && sinceBootMs - startedMs < WITNESS_WAIT_MAX_MS)
        return doubt("waits", "a start waits for a witness of the time")
      if (lastEntryMs > 0 && wallMs - lastEntryMs > UNWITNESSED_MAX_MS)
        return doubt(
          "unwitnessed",
          `the clock is at ${instantText(wallMs)}, the last entry at ${instantText(lastEntryMs)}, and there is no witness of the time: a witness must agree with the clock, or an operator must accept it`,
        )
    }
    anchor = moment
    const basis =
      compared === null
        ? lastEntryMs > 0
          ? `no witness; the last entry is at ${instantText(lastEntryMs)}`
          : "no witness; there is no entry yet"
        : compared.name
    return trust(wallMs, lastEntryMs, basis)
  }

  const read: LedgerClock["read"] = (lastEntryMs) => {
    if (anchor === null) return begin(lastEntryMs)
    const wallMs = clocks.wallMs()
    const steadyMs = clocks.steadyMs()
    let jumpMs = wallMs - anchor.wallMs - (steadyMs - anchor.steadyMs)
    let sinceBootMs = anchor.sinceBootMs + (steadyMs - anchor.steadyMs)
    if (Math.abs(jumpMs) > JUMP_MIN_MS) {
      // After a suspension the steady clock may lag: the time since boot decides.
      sinceBootMs = clocks.sinceBootMs()
      jumpMs = wallMs - anchor.wallMs - (sinceBootMs - anchor.sinceBootMs)
    }
    const jumped = Math.abs(jumpMs) > JUMP_MIN_MS
    const compared = compare(wallMs, sinceBootMs)
    if (compared?.agrees === false) return contradiction(wallMs, compared)
    if (jumped && compared === null)
      return doubt(
        "jumped",
        `the clock jumped ${jumpMs > 0 ? "ahead" : "back"} by ${seconds(jumpMs)}: a witness must agree with it, it must jump back, or an operator must accept it`,
      )
    if (jumped || steadyMs - anchor.steadyMs > ANCHOR_MS) anchor = now()
    return trust(wallMs, lastEntryMs, compared?.name ?? "the steady clock")
  }

  return {
    read,
    testify: (witness, atMs) => void witnesses.set(witness, { atMs, sinceBootMs: clocks.sinceBootMs() }),
    accept: () => {
      const moment = now()
      overruled = aheadOf(moment.wallMs, moment.sinceBootMs)
      anchor = moment
    },
  }
}
